package egress_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
)

// A proxy of a company: CONNECT by name, with a password. What it was asked for is kept.
type proxy struct {
	*site
	mu    sync.Mutex
	asked []string
	to    map[string]string // where a name and port is, for the proxy alone may know
}

const userInfo = "ann:mellon"

func newProxy(t *testing.T, to map[string]string) *proxy {
	t.Helper()
	p := &proxy{to: to, site: newSite(t, "proxy.example.com")}
	p.serve(t, 3128, p.connect)
	return p
}

func (p *proxy) connect(c *net.TCPConn) {
	from := bufio.NewReader(c)
	r, err := http.ReadRequest(from)
	if err != nil {
		return
	}
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host)
	p.mu.Unlock()
	at := p.to[r.Host]
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(userInfo))
	switch {
	case r.Header.Get("Proxy-Authorization") != want:
		io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
		return
	case at == "":
		io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
		return
	}
	up, err := net.Dial("tcp", at)
	if err != nil {
		fmt.Fprintf(c, "HTTP/1.1 502 %s\r\nContent-Length: 0\r\n\r\n", err)
		return
	}
	defer up.Close()
	io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
	done := make(chan struct{})
	go func() {
		io.Copy(up, from)
		up.(*net.TCPConn).CloseWrite()
		close(done)
	}()
	io.Copy(c, up)
	c.CloseWrite()
	<-done
}

// The launcher's own proxy: dialled for every name, by name, which need not resolve here. Nothing of it comes inside,
// and what is not allowed is not asked of it; attacks 36 to 38.
func TestCompanyProxy(t *testing.T) { both(t, testCompanyProxy) }

func testCompanyProxy(t *testing.T, in confinement) {
	hidden := &site{}
	v4, _ := newAddresses(t)
	hidden.listen(t, v4.String()+":7", whoami("hidden"))
	direct := newSite(t, "direct.example.com").serve(t, 7, whoami("direct"))
	const name = "hidden.corp.example.com"
	p := newProxy(t, map[string]string{name + ":7": v4.String() + ":7"})
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{name + ":7", name + ":22", direct.Name + ":7"}},
		Given: []string{"HTTPS_PROXY=http://" + userInfo + "@" + p.Name + ":3128", "NO_PROXY=" + direct.Name}}
	e := l.rows(t,
		row{"by the proxy", act("banner", name+":7"), "220 hidden", ""},
		row{"an exception", act("banner", direct.Name+":7"), "220 direct", ""},
		row{"a port that the proxy refuses", act("banner", name+":22"), "", in.refused},
		row{"a name that is not allowed", act("banner", "evil.example:7"), "", "NXDOMAIN"},
		row{"the proxy itself", act("banner", p.Name+":3128"), "", "NXDOMAIN"},
		row{"the environment", act("environment"), "", ""})
	p.mu.Lock()
	defer p.mu.Unlock()
	if want := []string{"CONNECT " + name + ":7", "CONNECT " + name + ":22"}; !slices.Equal(p.asked, want) {
		t.Errorf("the proxy was asked for %q, want %q", p.asked, want)
	}
	if q := asked(name); len(q) > 0 {
		t.Errorf("asked upstream: %q", q)
	}
	for _, v := range e.Results[5].All {
		if strings.Contains(strings.ToLower(v), "proxy") {
			t.Errorf("inside: %s", v)
		}
	}
	if said := fmt.Sprintf("%s%s", e.Lines, &e.Stderr); strings.Contains(said, "mellon") || strings.Contains(said, "ann:") {
		t.Errorf("the password is told: %s", said)
	}
	if n := e.Layer("network"); !strings.Contains(n.Effect, "via proxy "+p.Name+":3128") {
		t.Errorf("layer network says %q", n.Effect)
	}
	e.told(t, denied{Kind: "upstream", Host: name, Port: 22})
}

// A proxy that is not to be had refuses the launch, and the password is not told there either.
func TestProxyNotToBeHad(t *testing.T) { both(t, testProxyNotToBeHad) }

func testProxyNotToBeHad(t *testing.T, in confinement) {
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{"x.example.com"}}, Given: []string{"HTTPS_PROXY=https://" + userInfo + "@proxy.example.com"}}
	run := startRefused(t, l)
	said := fmt.Sprintf("%s%s", run.Lines, &run.Stderr)
	if run.Code != 125 || !strings.Contains(said, "https") || strings.Contains(said, "mellon") {
		t.Errorf("code %d, %s", run.Code, said)
	}
}
