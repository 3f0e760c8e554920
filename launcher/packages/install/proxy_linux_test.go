package install

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// connectProxy is a company's proxy, which alone knows where a host is.
func connectProxy(t *testing.T, at, host, target string) (asked *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	asked = new(atomic.Int32)
	serve := func(c net.Conn) {
		defer c.Close()
		r := bufio.NewReader(c)
		request, err := http.ReadRequest(r)
		if err != nil || request.Method != http.MethodConnect || request.Host != host {
			io.WriteString(c, "HTTP/1.1 403 Forbidden\r\n\r\n")
			return
		}
		asked.Add(1)
		to, err := net.Dial("tcp", target)
		if err != nil {
			return
		}
		defer to.Close()
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		go io.Copy(to, r)
		io.Copy(c, to)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return asked
}

// An install goes by the proxy of HTTPS_PROXY. That of npmrc is not used, which is told.
func TestProxies(t *testing.T) {
	long(t)
	h := newHome(t)
	l, err := net.Listen("tcp", "10.99.0.7:4880")
	if err != nil {
		t.Fatal(err)
	}
	registry := registrytest.Serve(t, l, good()...)
	registry.URL = "http://behind.example:4880/"
	asked := connectProxy(t, "10.99.0.8:3128", "behind.example:4880", "10.99.0.7:4880")
	h.configure(t, "registry="+registry.URL+"\nhttps-proxy=http://10.99.0.8:3128\nproxy=http://10.99.0.8:3128\n")
	h.refused(t, "npx -y good", "the proxy of npm's configuration is not used here: set HTTPS_PROXY")
	if n := asked.Load(); n > 0 {
		t.Errorf("the proxy of npmrc was asked %d times", n)
	}
	t.Setenv("HTTPS_PROXY", "http://10.99.0.8:3128") // of the process, as the launcher reads it
	h.options.Env = append(h.options.Env, "HTTPS_PROXY=http://10.99.0.8:3128")
	if r := h.must(t, "npx -y good"); asked.Load() == 0 || !strings.HasPrefix(r.Package.Registry, "http://behind.example") {
		t.Errorf("%d, %s", asked.Load(), r.Package.Registry)
	}
}
