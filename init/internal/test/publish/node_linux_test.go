package publish_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A server of MCP over HTTP is reached: it answers initialize with a stream of events.
func TestStreamableHTTP(t *testing.T) {
	node := testbed.Node(t)
	modules := testbed.Modules(t)
	entry := filepath.Join(modules, "@modelcontextprotocol/server-everything/dist/index.js")
	doc := `{"version":1,"env":{"PORT":"3001"},"filesystem":{"allowRead":["` + modules + `"]},"network":{"publish":["0:3001"]}}`
	l := host.Launch{Policy: doc, Command: []string{node, entry, "streamableHttp"}, Run: true, Env: host.Env(t)}
	r := &running{Run: host.Start(t, l.Cmd(t))}
	r.began = r.Began()
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"test","version":"1"}}}`
	var answer string
	testbed.Await(t, "answered", func() bool { // it does not listen at once
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.address(0)+"/mcp",
			bytes.NewBufferString(initialize))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "application/json, text/event-stream")
		got, err := http.DefaultClient.Do(q)
		if err != nil {
			return false
		}
		defer got.Body.Close()
		b := make([]byte, 64<<10)
		n, err := io.ReadAtLeast(got.Body, b, 1)
		answer = string(b[:n])
		return err == nil
	})
	if !strings.Contains(answer, `"serverInfo"`) {
		t.Errorf("it answered %q", answer)
	}
	http.DefaultClient.CloseIdleConnections()
	r.Cmd.Process.Signal(syscall.SIGTERM)
	r.Wait()
}
