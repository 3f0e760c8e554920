// Command large is a file that the bench lays into its own package: what hosts link that serve a cluster.
package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// linked is never empty, and so all of it stays linked.
var linked = []any{http.ListenAndServe, promhttp.Handler, grpc.NewServer, kubernetes.NewForConfig, rest.InClusterConfig}
