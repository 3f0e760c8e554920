package resources_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// far is what a bomb says: how far it came, and what it was refused then.
func (t *trial) far() (n int, word string) {
	t.Helper()
	var r attempt.Result
	err := json.Unmarshal(t.Stdout.Bytes(), &r)
	if err == nil {
		n, err = strconv.Atoi(r.Detail)
	}
	if err != nil {
		t.Errorf("the bomb says %q: %v\ncode %d, %+v\n%s", &t.Stdout, err, t.Code, t.Exited, &t.Stderr)
	}
	return n, r.Errno
}

// explode runs one bomb to its end.
func explode(t *testing.T, at place, keys string, args ...string) *trial {
	t.Helper()
	h := beat()
	run := start(t, at, keys, append([]string{testbed.Program(t, "probe")}, args...)...)
	run.Ran()
	h.calm(t)
	run.left(at)
	x := &run.Exited
	t.Logf("%q: cause %s, %.2f s of CPU time in %.2f s, peak %d, %d forks refused", strings.TrimSpace(run.Stdout.String()), x.Cause,
		x.CPUSeconds, x.WallSeconds, x.MemoryPeak, x.ForksRefused)
	return run
}

// left demands that nothing of the launch is there any more.
func (t *trial) left(at place) {
	t.Helper()
	if at.group {
		if left := groups(t, at.top); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

func TestMemoryBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		if !at.group { // more, for the runtime's own
			const limit = 256 << 20 / attempt.MemoryBlock
			run := explode(t, at, `"limits":{"memory":"256M"}`, "memory", "1024")
			if n, word := run.far(); word != "ENOMEM" || n < limit/4 || n > limit || run.Exited.Cause != order.CauseExit {
				t.Errorf("%d MiB, %s, %+v", n, word, run.Exited)
			}
			return
		}
		const limit = 64 << 20
		run := explode(t, at, `"limits":{"memory":"64M"}`, "memory", "256")
		x := &run.Exited
		if x.Cause != order.CauseOOM || run.Code != 137 || x.MemoryLimit != limit || run.Stdout.Len() != 0 {
			t.Errorf("code %d, %+v, %q", run.Code, x, &run.Stdout)
		}
		// Who is being killed gets what it asks for meanwhile: some pages more than the limit.
		if told := peakTold(t); told && (x.MemoryPeak > limit*5/4 || x.MemoryPeak < limit*9/10) {
			t.Errorf("a peak of %d bytes", x.MemoryPeak)
		}
		if !strings.Contains(run.Stderr.String(), "memory limit 64M reached: the server was ended (raise limits.memory)\n") {
			t.Errorf("said %q", &run.Stderr)
		}
	})
}

// peakTold reports whether this kernel has memory.peak: since 5.19.
func peakTold(t *testing.T) bool {
	b, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	var major, minor int
	fmt.Sscanf(string(b), "%d.%d", &major, &minor)
	return major > 5 || major == 5 && minor >= 19
}

// Memory that a child took is the group's as well, and the child is not killed alone. The kernel kills the child
// first and then the others (oom_kill_process in mm/oom_kill.c), and promises no order in which they end: a parent
// that were spared would say so later than that.
func TestMemoryOfAChild(t *testing.T) {
	for _, at := range delegated(t) {
		t.Run(at.name, func(t *testing.T) {
			bomb := testbed.Program(t, "probe")
			keys := `"limits":{"memory":"64M"},"filesystem":{"allowRead":["` + bomb + `"]}`
			run := start(t, at, keys, "/bin/sh", "-c", bomb+" memory 256; sleep 20; echo the parent lives")
			run.Ran()
			if x := &run.Exited; x.Cause != order.CauseOOM || run.Code != 137 || run.Stdout.Len() != 0 || x.MemoryLimit != 64<<20 {
				t.Errorf("code %d, %+v, %q\n%s", run.Code, x, &run.Stdout, &run.Stderr)
			}
		})
	}
}

// One that is told to be killed is not told to have run out of memory.
func TestKilledOtherwise(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := start(t, at, `"limits":{"memory":"256M"}`, "/bin/sh", "-c", "kill -9 $$")
		run.Ran()
		if run.Exited.Cause != order.CauseSignal || strings.Contains(run.Stderr.String(), "reached") {
			t.Errorf("%+v\n%s", run.Exited, &run.Stderr)
		}
	})
}

// counted reports whether the processes of a sandbox are limited here, and how many more than the limit may be there.
func (t *trial) counted(at place) bool {
	if at.group {
		return t.Fact(order.Cgroup, "pids.max").Got != ""
	}
	return t.Fact(order.Limits, "processes").Got != ""
}

func TestForkBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := explode(t, at, `"limits":{"pids":60,"timeout":"5m"}`, "fork", "500")
		n, word := run.far()
		// The bomb itself has some threads; each child too.
		if !run.counted(at) || word != "EAGAIN" || n < 5 || n > 60 {
			t.Errorf("%d children, %s, %+v", n, word, run.Exited)
		}
		run.refusedForks(at)
	})
}

// refusedForks demands that the report tells of them, and one line on standard error.
func (t *trial) refusedForks(at place) {
	t.Helper()
	said := strings.Count(t.Stderr.String(), "limit of 60 processes reached: ")
	if at.group && (t.Exited.ForksRefused == 0 || said != 1) || !at.group && (t.Exited.ForksRefused != 0 || said != 0) {
		t.Errorf("%d refused, said %d times\n%s", t.Exited.ForksRefused, said, &t.Stderr)
	}
	isLimit := func(d order.Denied) bool { return d.Kind == order.DeniedLimit && d.Flag == "--pids" }
	if slices.ContainsFunc(t.Denied, isLimit) != at.group {
		t.Errorf("%+v", t.Denied)
	}
}

// The real one doubles itself as fast as it can.
func TestDoublingForkBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		before := start(t, at, `"limits":{"pids":60}`, "/bin/true")
		if before.Ran(); !before.counted(at) {
			t.Fatal("processes are not limited here: nothing would stop it")
		}
		var run *trial
		for _, timeout := range []string{"3s", "40s"} { // some machines need longer for so many forks
			h := beat()
			run = start(t, at, `"limits":{"pids":60,"timeout":"`+timeout+`","grace":"500ms"}`, "/bin/sh", "-c", `b() { b | b & }; while :; do b; done 2>/dev/null; :`)
			run.Ran()
			h.calm(t)
			run.left(at)
			if run.Exited.ForksRefused > 0 || !at.group {
				break
			}
		}
		// The shell ends itself when it cannot fork, or the time is over.
		if x := run.Exited; x.Cause != order.CauseTimeout && x.Cause != order.CauseExit || !run.counted(at) {
			t.Errorf("%+v\n%s", x, &run.Stderr)
		}
		run.refusedForks(at)
	})
}

func TestThreadBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := explode(t, at, `"limits":{"pids":60,"timeout":"5m"}`, "threads", "500")
		text := run.Stderr.String()
		_, rest, _ := strings.Cut(text, "failed to create new OS thread (have ")
		number, _, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(number); err != nil || n < 50 || n > 62 || run.Code != 2 {
			t.Errorf("%d threads, code %d\n%.500s", n, run.Code, text)
		}
	})
}

// A server that uses every core and hears no signal has no more than its share of CPU where there is a group, and
// ends by its time; else it ends by RLIMIT_CPU, which it has from its time and its share, a second after SIGXCPU.
// What a share does not give is a least: others work on the same machine.
func TestSpinBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		if !at.group {
			run := explode(t, at, `"limits":{"cpu":"10m","timeout":"100s"}`, "spin")
			if x := &run.Exited; x.Cause != order.CauseCPU || x.Signal != "SIGKILL" || x.CPUSeconds < 1.5 || x.CPUSeconds > 4 {
				t.Errorf("%+v", x)
			}
			return
		}
		run := explode(t, at, `"limits":{"cpu":"500m","timeout":"3s","grace":"200ms"}`, "spin")
		x := &run.Exited
		if share := x.CPUSeconds / x.WallSeconds; share > 0.75 || x.CPUSeconds < 0.1 || x.Cause != order.CauseTimeout {
			t.Errorf("%.2f of a core, %+v", share, x)
		}
	})
}
