package endings_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// launchers are the two kinds, in each confinement that a test of the host's end asks for. To the policy document of
// each belongs what it says: a Go host gets less than full by level privileged alone.
func launchers() map[string]launch {
	return map[string]launch{
		"":                     {Embedded: true},
		`"umask":"0022"`:       {},
		`"umask":"0027"`:       {Begin: policy.Reduced},
		`"level":"privileged"`: {Embedded: true, Begin: policy.None},
	}
}

// A child that the host forked keeps the host's every descriptor. The host's end is the end of its process.
func TestForkOfTheHost(t *testing.T) {
	t.Parallel()
	for more, l := range launchers() {
		t.Run(string(l.Begin), func(t *testing.T) {
			t.Parallel()
			l.Forks = true
			l.Command = []string{"/bin/sh", "-c", deaf + `(setsid sleep 1000 &); ` + waits}
			run := start(t, l, more, true)
			forks := map[int]bool{}
			for said := run.next(); said != "ready"; said = run.next() {
				pid, err := strconv.Atoi(said)
				if err != nil || pid <= 1 {
					t.Fatalf("said %q", said)
				}
				forks[pid] = true
				t.Cleanup(func() { unix.Kill(pid, unix.SIGKILL) })
			}
			run.cmd.Process.Kill()
			for until := time.Now().Add(endTimeout); ; time.Sleep(20 * time.Millisecond) {
				living, _ := run.here()
				left := 0
				for _, p := range living {
					if !forks[p.pid] {
						left++
					}
				}
				if left == 0 && len(living) == len(forks) {
					break
				}
				if time.Now().After(until) {
					t.Errorf("survived: %v, beside the host's forks %v", living, forks)
					break
				}
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
		t.Run(string(l.Begin), func(t *testing.T) {
			t.Parallel()
			l.Command = []string{"/bin/sh", "-c", deaf + `(setsid sleep 1000 &); ` + waits}
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
		t.Run(string(l.Begin), func(t *testing.T) {
			t.Parallel()
			l.Command = []string{"/bin/sh", "-c", deaf + `(setsid sleep 1000 &); ` + waits}
			run := start(t, l, more, true)
			run.line("ready")
			shim := run.child()
			run.cmd.Process.Kill()
			run.cmd.Process.Wait()
			unix.Kill(shim, unix.SIGSTOP)
			state(t, shim, 'T')
			for until := time.Now().Add(endTimeout); ; time.Sleep(20 * time.Millisecond) {
				living, _ := run.here()
				if len(living) == 0 || len(living) == 1 && living[0].pid == shim {
					break
				}
				if time.Now().After(until) {
					t.Errorf("survived: %v", living)
					break
				}
			}
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
		l := launch{Embedded: true, Command: []string{"/bin/sh", "-c", "sleep 1000"}}
		run := start(t, l, "", true)
		shim := run.child()
		time.Sleep(time.Duration(i) * 500 * time.Microsecond)
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
func (t *trial) child() int {
	t.Helper()
	for until := time.Now().Add(endTimeout); time.Now().Before(until); {
		for _, p := range processes() {
			if p.parent == t.cmd.Process.Pid && !p.dead() {
				return p.pid
			}
		}
	}
	t.Fatal("the host starts nothing")
	return 0
}

// state waits until a process is in a state.
func state(t *testing.T, pid int, want byte) {
	t.Helper()
	for until := time.Now().Add(endTimeout); time.Now().Before(until); time.Sleep(time.Millisecond) {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return // it has ended
		}
		if i := strings.LastIndexByte(string(b), ')'); i > 0 && b[i+2] == want {
			return
		}
	}
	t.Errorf("%d is not %c", pid, want)
}

// A signal that has only a number has a name all the same: those between are the kernel's for programs; signal(7).
func TestRealTimeSignal(t *testing.T) {
	t.Parallel()
	for more, l := range launchers() {
		l.Command = []string{"/bin/sh", "-c", "kill -37 $$"}
		code, x := start(t, l, more, false).end()
		if code != 128+37 || x == nil || x.Cause != order.CauseSignal || x.Signal != "SIGRTMIN+3" {
			t.Errorf("code %d, %+v", code, x)
		}
	}
}
