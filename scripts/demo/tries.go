package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// A try is one thing that the server is asked to do.
type try struct {
	what    string
	action  string
	args    []string
	granted bool // the policy allows it: it must go through confined as well
	// reached is, as the host sees it, whether the server got at what is at stake: an open that succeeds on a
	// private copy has reached nothing.
	reached func(attempt.Result) bool
	yes     string                 // what to say if so
	instead string                 // what to say if the act went through and reached nothing
	layers  map[string]order.Layer // errno to the layer whose answer that is; "" for no errno
}

// File acts in a sandbox: a path that was never mounted, one mounted read-only, one that Landlock refuses.
func fileLayers() map[string]order.Layer {
	return map[string]order.Layer{"": "root", "ENOENT": "root", "EROFS": "root", "EACCES": "landlock"}
}

func (st *stage) tries() []try {
	inside, outside := filepath.Join(st.project, "made"), filepath.Join(st.elsewhere, "planted")
	ok := func(r attempt.Result) bool { return r.OK }
	shows := func(word string) func(attempt.Result) bool {
		return func(r attempt.Result) bool { return r.OK && strings.Contains(r.Detail, word) }
	}
	return []try{
		{what: "write in its grant", action: "write", args: []string{inside}, granted: true,
			reached: exists(inside), yes: "written", instead: "written elsewhere"},
		{what: "read ~/.ssh/id_ed25519", action: "read", args: []string{filepath.Join(st.home, ".ssh", "id_ed25519")},
			reached: shows(secret), yes: "read the key", instead: "another file", layers: fileLayers()},
		{what: "list the home folder", action: "list", args: []string{st.home},
			reached: shows("notes.txt"), yes: "listed", instead: "a private home", layers: fileLayers()},
		{what: "write outside its grant", action: "write", args: []string{outside},
			reached: exists(outside), yes: "written", instead: "a private folder", layers: fileLayers()},
		{what: "connect to a loopback listener", action: "tcp", args: []string{st.listener.Addr().String()},
			reached: st.wasHeard, yes: "connected", instead: "a private loopback", layers: map[string]order.Layer{
				"": "network", "ECONNREFUSED": "network", "ENETUNREACH": "network", "EACCES": "landlock",
				"EPERM": "seccomp", "EAFNOSUPPORT": "seccomp"}},
		{what: "see other processes", action: "processes", args: []string{st.mark},
			reached: ok, yes: "seen",
			layers: map[string]order.Layer{"": "namespaces", "ENOENT": "root", "EACCES": "landlock"}},
		{what: "gain a user namespace", action: "userns",
			reached: ok, yes: "gained",
			layers: map[string]order.Layer{"ENOSPC": "privileges", "EPERM": "seccomp", "ENOSYS": "seccomp"}},
	}
}

// exists looks for the file that a server was to write and takes it away for the next one.
func exists(path string) func(attempt.Result) bool {
	return func(attempt.Result) bool { return os.Remove(path) == nil }
}

// wasHeard gives the accepting goroutine a moment where the server says that it got through.
func (st *stage) wasHeard(r attempt.Result) bool {
	wait := time.Duration(0)
	if r.OK {
		wait = time.Second
	}
	select {
	case <-st.heard:
		return true
	case <-time.After(wait):
		return false
	}
}

// An outcome is what came of one try.
type outcome struct {
	result  attempt.Result
	reached bool
}

// tryAll has the server make every try, in order, and closes the session.
func tryAll(ctx context.Context, session *mcp.ClientSession, st *stage) ([]outcome, error) {
	defer session.Close()
	var all []outcome
	for _, t := range st.tries() {
		answer, err := session.CallTool(ctx, &mcp.CallToolParams{
			Name: "attempt", Arguments: map[string]any{"action": t.action, "args": t.args},
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.what, err)
		}
		var r attempt.Result
		if text, ok := answer.Content[0].(*mcp.TextContent); !ok || answer.IsError {
			return nil, fmt.Errorf("%s: the tool failed: %v", t.what, answer.Content[0])
		} else if err := json.Unmarshal([]byte(text.Text), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", t.what, err)
		}
		all = append(all, outcome{r, t.reached(r)})
	}
	return all, nil
}
