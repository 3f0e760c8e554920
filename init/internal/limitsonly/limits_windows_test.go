package limitsonly

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/windows"
)

// posture is of other systems.
func posture() {}

// detach has nothing to do: the job has everybody.
func detach(*exec.Cmd) {}

// removals takes away one thing that holds the server, by name.
func alter(l *limits, name string) {
	b := &l.inner.BasicLimitInformation
	switch name {
	case "kill on close":
		b.LimitFlags &^= windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
		l.outerFlags = 0
	case "inner kill on close":
		b.LimitFlags &^= windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	case "outer kill on close":
		l.outerFlags = 0
	case "breakaway":
		b.LimitFlags |= windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK
	case "processes":
		b.LimitFlags &^= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	case "memory":
		b.LimitFlags &^= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
	case "one more process":
		b.ActiveProcessLimit++
	}
}

// What holds the server is read back from the system: a limit that is not set is not called proved, and where the system tells
// what it has, the launch is refused.
func TestRemovedLimitIsNoticed(t *testing.T) {
	for _, name := range []string{"inner kill on close", "outer kill on close", "breakaway", "processes", "memory", "one more process"} {
		t.Run(name, func(t *testing.T) {
			r := trial{Serve: []string{"exit", "0"}, Remove: name}.launch(t)
			_, code, first, _ := r.all(t)
			if reportsLimits() {
				if code != 125 || first != nil {
					t.Errorf("status %d, want a refused launch\n%s", code, r.errs.String())
				}
				return
			}
			for _, l := range first.Layers {
				for _, f := range l.Facts {
					if strings.HasPrefix(f.Name, "flags") && f.Got != "" {
						t.Errorf("%s: proved on a system that does not tell it: %+v", name, f)
					}
				}
			}
		})
	}
}

func lives(pid int) bool { return isLiving(uint32(pid)) }

// The control of TestShimKilled: it is the flag that ends them. Where the system tells what a job has, such a launch is refused.
func TestShimKilledWithoutTheFlag(t *testing.T) {
	r := trial{Serve: []string{"tree", "1"}, Remove: "kill on close"}.launch(t)
	if reportsLimits() {
		if _, code, _, _ := r.all(t); code != 125 {
			t.Errorf("status %d, want a refused launch", code)
		}
		return
	}
	pids := []int{r.pid(t), r.pid(t)}
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	testbed.Span(500 * time.Millisecond) // with the flag they would end, a moment after the shim
	for _, pid := range pids {
		if !lives(pid) {
			t.Errorf("process %d has ended without it", pid)
		}
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill()
		}
	}
}
