package shim_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A kernel that does not come back with init's namespaces holds up nobody who wants the launch to end.
func TestStuckRunner(t *testing.T) {
	for _, confinement := range []string{"full", "reduced"} {
		s := build(t, "")
		l := s.Launch(altered.Weaker(grants, confinement), "mark")
		l.Begin, l.Stuck = confinement, true
		cmd, _, done := altered.Start(t, l, nil)
		var runner []int
		t.Cleanup(func() { cmd.Process.Kill() })
		testbed.Await(t, "a runner", func() bool {
			runner = testbed.Children(cmd.Process.Pid)
			return len(runner) > 0
		})
		cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(testbed.Patience(), func() { cmd.Process.Kill() })
		o := done()
		if !late.Stop() || o.Code != 128+15 || o.Event() != "refused" || s.Ran(&o, "mark") {
			t.Errorf("%s: code %d, %s\n%s", confinement, o.Code, o.Event(), o.Stderr)
		}
		testbed.Await(t, "the runner's end", func() bool { s := testbed.State(runner[0]); return s == "" || s == "Z" })
		l.Stuck = false
		if o := altered.Run(t, l); o.Code != 0 || !s.Ran(&o, "mark") {
			t.Errorf("control: %s: code %d\n%s", confinement, o.Code, o.Stderr)
		}
	}
}
