package journal

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// The names of the metrics. No label holds a word that a client chose.
const (
	Sandboxes      = "sandboxes"
	Streams        = "streams"
	Draining       = "draining"
	Starts         = "starts_total"
	Ends           = "ends_total"
	Requests       = "requests_total"
	Refusals       = "refusals_total"
	Dropped        = "dropped_messages_total"
	RequestSeconds = "request_seconds"
	StartSeconds   = "start_seconds"
)

// shapes are the type of each metric, and the name of its label.
var shapes = map[string][2]string{Sandboxes: {"gauge", "era"}, Streams: {"gauge"}, Draining: {"gauge"},
	Starts: {"counter", "result"}, Ends: {"counter", "cause"}, Requests: {"counter", "era"},
	Refusals: {"counter", "reason"}, Dropped: {"counter"}, RequestSeconds: {"histogram"}, StartSeconds: {"histogram"}}

// bounds are the upper ends of the histograms' buckets, in seconds. As text they are in this order too.
var bounds = [...]float64{.001, .01, .1, 1, 10, math.Inf(1)}

// Metrics are numbers of one process.
type Metrics struct {
	mu     sync.Mutex
	series map[string]float64 // by the name with its label
}

// Add adds to a metric, of the label's value, which is "" where the metric has none.
func (m *Metrics) Add(name, label string, n float64) {
	if l := shapes[name][1]; l != "" {
		name = fmt.Sprintf("%s{%s=%q}", name, l, label)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.series[name] += n
}

// Observe counts a time that something took.
func (m *Metrics) Observe(name string, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, bound := range bounds {
		if took.Seconds() <= bound {
			m.series[fmt.Sprintf("%s_bucket{le=%q}", name, strings.TrimPrefix(fmt.Sprint(bound), "+"))]++
		}
	}
	m.series[name+"_count"]++
	m.series[name+"_sum"] += took.Seconds()
}

// Write writes all metrics in Prometheus' text format.
func (m *Metrics) Write(w io.Writer) {
	m.mu.Lock()
	series := maps.Clone(m.series)
	m.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		fmt.Fprintf(w, "# TYPE mcp_sandbox_serve_%s %s\n", name, shapes[name][0])
		for _, key := range slices.Sorted(maps.Keys(series)) {
			if rest, ok := strings.CutPrefix(key, name); ok && (rest == "" || rest[0] == '{' || rest[0] == '_') {
				fmt.Fprintf(w, "mcp_sandbox_serve_%s %v\n", strings.Replace(key, `"Inf"`, `"+Inf"`, 1), series[key])
			}
		}
	}
}
