package noshim

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// victims are the processes of a launch without a shim, outermost first, as [tree] has them, and the first two together.
var victims = []string{"host", "parent", "init", "both"}

// Whichever process is killed while another waits at a call of its own: all others end, and the host has no more
// descriptors or goroutines than before. The launch's end by itself, which [list] sees, is the positive control.
func TestKilledAtEveryOp(t *testing.T) {
	ordinary(t)
	d, step, seen := plain, 3, 0
	if testing.Short() {
		step = 60
	}
	s := build(t, d.Below)
	calls := list(t, s, d.Text)
	cloned := slices.IndexFunc(calls, func(op altered.Op) bool { return strings.Contains(op.Line, " clone(0x") })
	dies := slices.IndexFunc(calls, func(op altered.Op) bool { return op.Row >= 0 && strings.Contains(op.Line, " prctl(1, 9,") })
	inits := slices.IndexFunc(calls, func(op altered.Op) bool { return op.Row >= 0 })
	for _, op := range calls[cloned+3 : inits] { // the parent's own; it would see the end of no other then
		// Init looks whether its memory is gone before it has PR_SET_PDEATHSIG. One that slept there for ever would outlive
		// a parent that ends before the host knows of it.
		if sleeps(&op) && !strings.Contains(op.Line, " munmap(") && !strings.Contains(op.Line, " prctl(2, ") {
			stalls(t, s, op.Index, "parent")
		}
	}
	for _, op := range calls[inits:] {
		if op.Row < 0 || !sleeps(&op) {
			continue
		}
		if seen++; seen%step != 0 {
			continue
		}
		if op.Index <= calls[dies].Index { // one that slept there for ever would outlive both; init looks for their end behind it
			stalls(t, s, op.Index, victims[:3]...)
		} else {
			stalls(t, s, op.Index, victims...)
		}
	}
	if seen < 150 {
		t.Errorf("only %d calls", seen)
	}
}

// sleeps reports whether an Op is a call that can be replaced by one that sleeps: it has no values of other calls.
func sleeps(op *altered.Op) bool {
	return op.Ran && strings.Contains(op.Line, "(") && !strings.ContainsAny(op.Line, "#*") &&
		!strings.Contains(op.Line, " load(")
}

func stalls(t *testing.T, s altered.Stage, op int, victims ...string) {
	for _, victim := range victims {
		t.Run(strconv.Itoa(op)+"/"+victim, func(t *testing.T) {
			t.Parallel()
			l := s.Launch(plain.Text, "stalled-"+strconv.Itoa(op)+victim)
			l.NoShim, l.Stall = true, op
			kill(t, l, victim)
		})
	}
}

// kill starts a launch that stalls, and kills a process of it.
func kill(t *testing.T, l altered.Launch, name string) {
	t.Helper()
	victim := slices.Index(victims, name)
	both := name == "both"
	if both {
		victim = 0
	}
	cmd, _, done := altered.Start(t, l, nil)
	var all []int
	atRest(t, func() []int {
		all = tree(cmd.Process.Pid)
		return all
	})
	if len(all) <= victim {
		t.Fatalf("the launch has %d processes: %s", len(all), l.Line)
	}
	if err := unix.Kill(all[victim], unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if both {
		_ = unix.Kill(all[1], unix.SIGKILL) // which may have ended with its host
	}
	o := done()
	testbed.Await(t, "the end of all processes of the launch", func() bool {
		return !slices.ContainsFunc(all, func(pid int) bool {
			state := testbed.State(pid)
			return state != "" && state != "Z"
		})
	})
	cause := ""
	if len(o.Report) > 0 {
		cause, _ = o.Report[len(o.Report)-1]["cause"].(string)
	}
	lost := order.Cause(cause) == order.CauseSupervisorLost
	if victim > 0 && (o.Code <= 0 || o.Code == 128 || o.Event() == "exited" != lost) {
		t.Errorf("code %d, %s %q, said %q", o.Code, o.Event(), cause, o.Stdout)
	}
	if strings.Contains(o.Stderr, "more than before") || t.Failed() {
		t.Error(o.Stderr)
	}
}

// Init is lost when the report is out, and the server not released: the report stands, and the end is that of a lost
// supervisor. A launch whose processes live, which [list] sees, is the positive control.
func TestKilledBeforeTheRelease(t *testing.T) {
	ordinary(t)
	s := build(t, plain.Below)
	for _, victim := range victims[1:3] {
		l := s.Launch(plain.Text, "lost-"+victim)
		l.NoShim, l.Lost = true, victim
		o := altered.Run(t, l)
		_, err := os.Stat(s.Path("write/lost-" + victim))
		if len(o.Report) != 2 || o.Event() != "exited" || o.Report[1]["cause"] != string(order.CauseSupervisorLost) || err == nil {
			t.Errorf("%s: code %d, %v, executed: %v\n%s", victim, o.Code, o.Report[len(o.Report)-1:], err == nil, o.Stderr)
		}
	}
}

// A fault in the goroutine of a launch ends the launch, with all of its processes. The host goes on, and has no more than
// before. A launch without a fault, which [list] sees, is the positive control.
func TestFaultOfALaunch(t *testing.T) {
	ordinary(t)
	s := build(t, plain.Below)
	for _, at := range []string{"program", "evidence", "enforced", "exited"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			l := s.Launch(plain.Text, "fault-"+at)
			l.NoShim, l.Panic = true, at
			o := altered.Run(t, l)
			for _, word := range strings.Fields(o.Stderr) {
				if pid, err := strconv.Atoi(word); err == nil { // altered prints the processes of the launch
					testbed.Await(t, "the end of a process of the launch", func() bool { return strings.Trim(testbed.State(pid), "Z") == "" })
				}
			}
			_, err := os.Stat(s.Path("write/fault-" + at))
			if o.Code != 125 || (err == nil) != (at == "exited") || strings.Contains(o.Stderr, "more than before") ||
				!strings.Contains(o.Stderr, "a fault in mcp-sandbox") {
				t.Errorf("code %d, %d records, executed: %v\n%s", o.Code, len(o.Report), err == nil, o.Stderr)
			}
		})
	}
}

// tree are a process and all that come of it, each behind its parent.
func tree(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, testbed.Children(all[i])...)
	}
	return all
}

// atRest waits until no process of a launch but its host does anything for some looks.
func atRest(t *testing.T, look func() []int) {
	t.Helper()
	var before []int
	same := 0
	testbed.Await(t, "a launch that goes no further", func() bool {
		now := look()
		for _, pid := range now[1:] {
			now = append(now, testbed.Sleeps(pid))
			if state := testbed.State(pid); state != "S" && state != "Z" {
				same = 0
			}
		}
		if same++; !slices.Equal(now, before) || len(now) < 2*3-1 {
			before, same = now, 0
		}
		return same > 8
	})
}
