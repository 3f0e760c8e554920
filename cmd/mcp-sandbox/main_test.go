package main

import (
	"flag"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/scripttest"
)

// TestMain is the program's main where the binary is started as one. Without Init the shim would be a second run of the
// tests, which starts shims.
func TestMain(m *testing.M) {
	reexec.Init()
	scripttest.Main(suite{m}, "mcp-sandbox", main)
}

// suite is the tests of this package, with a folder of their own that every user may enter. Reports are kept in another
// one, and not in the home of whoever runs the tests.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	kept, err := os.MkdirTemp("", "mcp-sandbox-kept-")
	if err != nil {
		println(err.Error())
		return 1
	}
	defer os.RemoveAll(kept)
	os.Setenv("XDG_STATE_HOME", kept)
	testbed.Waiting()
	return testbed.Run(s.m)
}

// TestScripts runs the scripts, and types what the lines of launches propose.
func TestScripts(t *testing.T) {
	var s scripttest.Scripts
	if runtime.GOOS == "linux" {
		s.TypeProposals("mcp-sandbox")
	}
	t.Cleanup(func() { // when all scripts have ended
		all := !strings.Contains(flag.Lookup("test.run").Value.String(), "/")
		if n := s.Typed(); n < 20 && all && runtime.GOOS == "linux" && !t.Failed() {
			t.Errorf("the lines of %d launches were typed", n)
		}
	})
	s.Run(t)
}
