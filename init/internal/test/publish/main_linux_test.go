package publish_test

import (
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestMain(m *testing.M) {
	host.Main(testbed.Roles{serverWord: serve})
	os.Exit(testbed.Run(m))
}

// A launch is what a test asks for.
type launch struct {
	host.Launch
	Publish []string
	Domains []string
	Level   string
	Least   string // minConfinement
}

func (l launch) policy(tb testing.TB) string {
	tb.Helper()
	network := map[string]any{"publish": l.Publish}
	if len(l.Domains) > 0 {
		network["allowedDomains"] = l.Domains
	}
	doc := map[string]any{"version": 1, "network": network,
		"filesystem": map[string]any{"allowRead": []string{testbed.Self(tb, "server")}}}
	if l.Level != "" {
		doc["level"] = l.Level
	}
	if l.Least != "" {
		doc["minConfinement"] = l.Least
	}
	b, err := json.Marshal(doc)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// A running server.
type running struct {
	*host.Run
	began order.Enforced
	ready string // what it said first
}

// start starts a launch of the server.
func (l launch) start(tb testing.TB, words ...string) *running {
	tb.Helper()
	l.Policy, l.Command = l.policy(tb), append([]string{testbed.Self(tb, "server"), serverWord}, words...)
	l.Run, l.Env = true, host.Env(tb)
	return &running{Run: host.Talk(tb, l.Cmd(tb))}
}

// run starts a server and waits until it listens.
func (l launch) run(tb testing.TB, words ...string) *running {
	tb.Helper()
	r := l.start(tb, words...)
	r.began = r.Began()
	line, err := r.Said.ReadString('\n')
	if r.ready = strings.TrimSpace(line); err != nil || !strings.HasPrefix(line, "ready") {
		r.Wait()
		tb.Fatalf("the server said %q, %v\n%s", line, err, &r.Stderr)
	}
	return r
}

// address is where the host reaches the nth published port.
func (r *running) address(n int) string {
	r.Helper()
	if len(r.began.Publish) <= n {
		r.Fatalf("the report has %q", r.began.Publish)
	}
	all := r.began.Publish[n]
	return all[:strings.LastIndexByte(all, ':')]
}

// end closes the server's standard input, and waits for the launcher.
func (r *running) end() {
	r.Helper()
	r.Stdin.Close()
	r.Wait()
	if r.Code != 0 {
		r.Errorf("code %d\n%s", r.Code, &r.Stderr)
	}
}

func dial(tb testing.TB, address string) *net.TCPConn {
	tb.Helper()
	c, err := net.DialTimeout("tcp", address, testbed.Patience())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(testbed.Patience()))
	return c.(*net.TCPConn)
}

// says sends text to an echo, and demands it back.
func says(tb testing.TB, c *net.TCPConn, text string) {
	tb.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		tb.Fatal(err)
	}
	b := make([]byte, len(text))
	if _, err := io.ReadFull(c, b); err != nil || string(b) != text {
		tb.Fatalf("%q came back for %q: %v", b, text, err)
	}
}
