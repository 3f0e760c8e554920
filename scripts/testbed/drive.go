package testbed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// Attempts runs cmd, which is to end in testdata/probe with its arguments, and returns what it printed. Cmd's standard
// output is taken; its exit status is not judged, for a sandbox may end the probe midway: compare the number of results.
func Attempts(tb testing.TB, cmd *exec.Cmd) []attempt.Result {
	tb.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout = &out
	if cmd.Stderr == nil {
		cmd.Stderr = &errs
	}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		tb.Fatal(err)
	}
	var all []attempt.Result
	for dec := json.NewDecoder(&out); dec.More(); {
		var r attempt.Result
		if err := dec.Decode(&r); err != nil {
			tb.Fatalf("probe said what is no result: %v", err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		tb.Logf("%v: %v, no result\n%s", cmd, err, errs.String())
	}
	return all
}

// A Session is what testdata/client-ts is to do: start Command and call its tools one after the other.
type Session struct {
	Modules string            `json:"modules"` // set by TypeScript
	Command string            `json:"command"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	Calls   []Call            `json:"calls,omitempty"`
}

// A Call is one tools/call.
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// An Outcome is what came of a Session.
type Outcome struct {
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

// TypeScript drives s by the official TypeScript SDK and tells what came of it; the exit status must agree. It skips
// the test as [Modules] does.
func TypeScript(ctx context.Context, tb testing.TB, s Session) Outcome {
	tb.Helper()
	s.Modules = Modules(tb)
	text, err := json.Marshal(s)
	if err != nil {
		tb.Fatal(err)
	}
	client := filepath.Join(root(tb), "testdata", "client-ts", "session.mjs")
	cmd := exec.CommandContext(ctx, Node(tb), client, string(text))
	cmd.Stderr = os.Stderr
	line, err := cmd.Output()
	var got Outcome
	if bad := json.Unmarshal(line, &got); bad != nil {
		tb.Fatalf("%s: %v; said %q: %v", client, err, line, bad)
	}
	if (err != nil) != (got.Error != "") {
		tb.Errorf("%s: exit %v, error %q", client, err, got.Error)
	}
	return got
}
