package reexec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The shim of a Go host and of mcp-sandbox run learns by its environment where the launcher's user keeps sockets, and
// of the company's proxy.
func TestChildEnv(t *testing.T) {
	t.Setenv("HOME", "/home/u")
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/7")
	t.Setenv("XDG_STATE_HOME", "/home/u/state")
	t.Setenv("API_KEY", "secret")
	t.Setenv("https_proxy", "http://proxy.corp:3128")
	t.Setenv("NO_PROXY", "corp")
	env := reexec.ChildEnv()
	for want, is := range map[string]bool{"HOME=/home/u": true, "XDG_RUNTIME_DIR=/run/user/7": true, "XDG_STATE_HOME=/home/u/state": true, "API_KEY=secret": false,
		"https_proxy=http://proxy.corp:3128": true, "NO_PROXY=corp": true} {
		if slices.Contains(env, want) != is {
			t.Errorf("%q: %s is there: %v", env, want, !is)
		}
	}
}

// Exec puts nothing in the place of an open descriptor: number 3 may be the runtime's, which it polls from another thread.
func TestExecKeepsDescriptors(t *testing.T) {
	if code, out, errs := testbed.Finish(t, testbed.As(callerName, "in vain")); code != 125 || out != "" || !strings.Contains(errs, "argument list too long") {
		t.Errorf("status %d, %q\n%s", code, out, errs)
	}
}
