package launcher_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A scenario is what testdata/client-ts is to do: start Command and call its tools one after the other.
type scenario struct {
	Modules string            `json:"modules"` // set by typeScriptClient
	Command string            `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	Calls   []request         `json:"calls,omitempty"`
}

// A request is one tools/call.
type request struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// A result is what came of a scenario.
type result struct {
	Error  string
	Server struct{ Name, Version string }
	Tools  []string
	// Results are the servers' answers, one for each call.
	Results []struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
	}
	InitializeMs, CloseMs float64
	Stderr                string
}

// typeScriptClient drives s by the official TypeScript SDK and tells what came of it; the exit status must agree. It skips
// the test as modules does.
func typeScriptClient(ctx context.Context, tb testing.TB, s scenario) result {
	tb.Helper()
	s.Modules = testbed.Modules(tb)
	text, err := json.Marshal(s)
	if err != nil {
		tb.Fatal(err)
	}
	client := filepath.Join(root(tb), "testdata", "client-ts", "session.mjs")
	cmd := exec.CommandContext(ctx, testbed.Node(tb), client, string(text))
	cmd.Stderr = os.Stderr
	line, err := cmd.Output()
	var got result
	if bad := json.Unmarshal(line, &got); bad != nil {
		tb.Fatalf("%s: %v; said %q: %v", client, err, line, bad)
	}
	if (err != nil) != (got.Error != "") {
		tb.Errorf("%s: exit %v, error %q", client, err, got.Error)
	}
	return got
}
