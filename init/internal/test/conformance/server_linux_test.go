package conformance_test

import (
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// serverPort is where a server listens inside.
const serverPort = "3000"

// A subject is a server of Streamable HTTP.
type subject struct {
	name    string
	path    string // of its URL
	command func(t *testing.T, port string) (command, env, grant []string)
	passes  bool // every scenario
}

func subjects() []subject {
	return []subject{
		{"everything-server of the Go SDK", "/mcp", func(t *testing.T, port string) (command, env, grant []string) {
			program := testbed.Conformance(t, "everything-server")
			return []string{program, "-http=127.0.0.1:" + port, "-stateless=false"}, nil, []string{program}
		}, true},
		{"server-everything", "/mcp", func(t *testing.T, port string) (command, env, grant []string) {
			modules := testbed.Modules(t)
			entry := filepath.Join(modules, "@modelcontextprotocol/server-everything/dist/index.js")
			return []string{testbed.Node(t), entry, "streamableHttp"}, []string{"PORT=" + port}, []string{modules}
		}, false}, // it has none of the suite's tools
	}
}

// levels are those in which a whole suite is gone through.
func levels() []string {
	if testing.Short() {
		return []string{"standard"}
	}
	return []string{"standard", "strict"}
}

// The suite finds in a server behind a list of domains, reached by a published port, what it finds without a sandbox.
func TestServer(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			bare := s.outside(t)
			if failed := bare.failed(); len(bare) < 25 || s.passes && len(failed) > 0 {
				t.Fatalf("%d scenarios, without a sandbox these failed: %q", len(bare), failed)
			}
			for _, level := range levels() {
				t.Run(level, func(t *testing.T) { s.inside(t, level).same(t, bare) })
			}
		})
	}
}

// outside runs the suite on the server without a sandbox.
func (s *subject) outside(t *testing.T) results {
	t.Helper()
	at := unusedAddress(t)
	command, env, _ := s.command(t, at[strings.LastIndexByte(at, ':')+1:])
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(env, "HOME="+testbed.Folder(t), "PATH=/usr/bin:/bin")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	return s.suite(t, at)
}

// unusedAddress is one on loopback on which nobody listens. The kernel gives its port to nobody who asks for any port,
// as the sandbox of another subject does at the same time: those are from 32768 on; ip(7), ip_local_port_range.
func unusedAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		at := net.JoinHostPort("127.0.0.1", strconv.Itoa(10000+rand.IntN(20000)))
		if l, err := net.Listen("tcp", at); err == nil {
			l.Close()
			return at
		}
	}
	t.Fatal("no port is free")
	return ""
}

// inside runs the suite on the server in a sandbox.
func (s *subject) inside(t *testing.T, level string) results {
	t.Helper()
	command, env, grant := s.command(t, serverPort)
	doc := map[string]any{"version": 1, "level": level, "envVars": []string{"PORT"}, "filesystem": map[string]any{"allowRead": grant},
		"network": map[string]any{"allowedDomains": []string{"api.example.com", "*.example.org:8443"}, "publish": []string{"0:" + serverPort}}}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	l := host.Launch{Policy: string(text), Command: command, Run: true, Env: host.Env(t, env...)}
	r := host.Start(t, l.Cmd(t))
	began := r.Began()
	if l := began.Layer(order.Network); l.State != order.Proved || len(began.Publish) != 1 {
		t.Fatalf("layer network is %+v, published %q", l, began.Publish)
	}
	all := s.suite(t, began.Publish[0][:strings.LastIndexByte(began.Publish[0], ':')])
	r.Cmd.Process.Signal(syscall.SIGTERM)
	r.Wait()
	if r.Exited.Cause != order.CauseCancelled || slices.ContainsFunc(r.Exited.Denied, func(d order.DeniedCount) bool { return d.Kind != order.DeniedSyscall }) {
		t.Errorf("%+v\n%s", r.Exited, &r.Stderr)
	}
	return all
}

// suite runs the suite on a server that will listen at an address.
func (s *subject) suite(t *testing.T, at string) results {
	t.Helper()
	url := "http://" + at + s.path
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	testbed.Await(t, s.name, func() bool {
		answer, err := client.Get(url)
		if err == nil {
			answer.Body.Close()
		}
		return err == nil
	})
	return runSuite(t, "server", "--url", url)
}
