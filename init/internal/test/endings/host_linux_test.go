package endings_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// launchers are the two kinds, in each confinement that a test of the host's end asks for. To the policy document of
// each belongs what it says: a Go host gets less than full by level privileged alone.
func launchers() map[string]launch {
	return map[string]launch{
		"":                     {Embedded: true},
		`"umask":"0022"`:       {},
		`"umask":"0027"`:       {Launch: host.Launch{Begin: "reduced"}},
		`"level":"privileged"`: {Embedded: true, Launch: host.Launch{Begin: "none"}},
	}
}

// A child that the host forked keeps the host's every descriptor. The host's end is the end of its process.
func TestForkOfTheHost(t *testing.T) {
	t.Parallel()
	for more, l := range launchers() {
		t.Run(l.Begin, func(t *testing.T) {
			t.Parallel()
			l.Forks = true
			l.Command = shell(deaf + `(setsid sleep 1000 &); ` + waits)
			run := start(t, l, more, true)
			forks, ready := map[int]bool{}, false
			for !ready || len(forks) < 2 {
				said := run.next()
				if said == "ready" {
					ready = true
					continue
				}
				pid, err := strconv.Atoi(said)
				if err != nil || pid <= 1 {
					t.Fatalf("said %q", said)
				}
				forks[pid] = true
				t.Cleanup(func() { unix.Kill(pid, unix.SIGKILL) })
			}
			run.cmd.Process.Kill()
			run.alone("all but the host's forks", func(p process) bool { return forks[p.pid] })
			if living, _ := run.here(); len(living) != len(forks) {
				t.Errorf("alive: %v, and the host's forks are %v", living, forks)
			}
			for pid := range forks {
				unix.Kill(pid, unix.SIGKILL)
			}
			run.nobodyLeft()
		})
	}
}

// A launcher that was stopped does not keep its server alive when the host ends.
func TestStoppedWhenTheHostEnds(t *testing.T) {
	t.Parallel()
	for more, l := range launchers() {
		t.Run(l.Begin, func(t *testing.T) {
			t.Parallel()
			l.Command = shell(deaf + `(setsid sleep 1000 &); ` + waits)
			run := start(t, l, more, true)
			run.line("ready")
			shim := run.child()
			if err := unix.Kill(shim, unix.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			state(t, shim, 'T')
			run.cmd.Process.Kill()
			run.nobodyLeft()
		})
	}
}

// Nor does one that is stopped when it has been woken: init then ends what it would have ended.
func TestStoppedAfterTheHostsEnd(t *testing.T) {
	t.Parallel()
	for more, l := range launchers() {
		t.Run(l.Begin, func(t *testing.T) {
			t.Parallel()
			l.Command = shell(deaf + `(setsid sleep 1000 &); ` + waits)
			run := start(t, l, more, true)
			run.line("ready")
			shim := run.child()
			run.cmd.Process.Kill()
			run.cmd.Process.Wait()
			unix.Kill(shim, unix.SIGSTOP)
			state(t, shim, 'T')
			run.alone("all but the stopped launcher", func(p process) bool { return p.pid == shim })
			unix.Kill(shim, unix.SIGCONT)
			run.nobodyLeft()
		})
	}
}

// The host ends at each moment of a launch, before the server is released or while it begins; of some the launcher
// was stopped.
func TestHostEndsAtAnyMoment(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 2
	}
	for i := 0; i < 24; i += step {
		l := launch{Launch: host.Launch{Command: shell("sleep 1000")}, Embedded: true}
		run := start(t, l, "", true)
		shim := run.child()
		testbed.Moment(i, 24, 12*time.Millisecond)
		if i%3 > 0 && unix.Kill(shim, unix.SIGSTOP) == nil {
			state(t, shim, 'T')
		}
		if b, _ := os.ReadFile("/proc/" + strconv.Itoa(shim) + "/cmdline"); strings.HasPrefix(string(b), hostName) {
			unix.Kill(shim, unix.SIGCONT) // it is the host's fork still, before it asked for the signal
		}
		run.cmd.Process.Kill()
		run.nobodyLeft()
	}
}

// child is the process id of the launcher that a host starts.
func (t *trial) child() (pid int) {
	t.Helper()
	testbed.Await(t, "the host's launcher", func() bool {
		for _, p := range testbed.Children(t.cmd.Process.Pid) {
			if s := testbed.State(p); s != "" && s != "Z" {
				pid = p
			}
		}
		return pid != 0
	})
	return pid
}

// state waits until a process is in a state, or has ended.
func state(t *testing.T, pid int, want byte) {
	t.Helper()
	testbed.Await(t, fmt.Sprintf("state %c of process %d", want, pid), func() bool {
		is := testbed.State(pid)
		return is == "" || is[0] == want
	})
}

// A signal that has only a number has a name all the same: those between are the kernel's for programs; signal(7).
func TestRealTimeSignal(t *testing.T) {
	t.Parallel()
	for more, l := range launchers() {
		l.Command = shell("kill -37 $$")
		code, x := start(t, l, more, false).end()
		if code != 128+37 || x == nil || x.Cause != order.CauseSignal || x.Signal != "SIGRTMIN+3" {
			t.Errorf("code %d, %+v", code, x)
		}
	}
}
