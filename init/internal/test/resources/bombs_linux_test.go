package resources_test

import (
	"encoding/json"
	"fmt"
	"os"
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
	err := json.Unmarshal(t.stdout.Bytes(), &r)
	if err == nil {
		n, err = strconv.Atoi(r.Detail)
	}
	if err != nil {
		t.Errorf("the bomb says %q: %v\ncode %d, %+v\n%s", &t.stdout, err, t.code, t.exited, &t.stderr)
	}
	return n, r.Errno
}

// explode runs one bomb to its end.
func explode(t *testing.T, at place, keys string, args ...string) *trial {
	t.Helper()
	h := beat()
	run := start(t, at, keys, append([]string{testbed.Program(t, "probe")}, args...)...)
	run.end()
	h.calm(t)
	run.left(at)
	x := &run.exited
	t.Logf("%q: cause %s, %.2f s of CPU time in %.2f s, peak %d, %d forks refused", strings.TrimSpace(run.stdout.String()), x.Cause,
		x.CPUSeconds, x.WallSeconds, x.MemoryPeak, x.ForksRefused)
	return run
}

// left demands that nothing of the launch is there any more.
func (t *trial) left(at place) {
	t.Helper()
	if at.group {
		if left := groups(t.T, at.top); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

func TestMemoryBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		if !at.group { // more, for the runtime's own
			const limit = 256 << 20 / attempt.MemoryBlock
			run := explode(t, at, `"limits":{"memory":"256M"}`, "memory", "1024")
			if n, word := run.far(); word != "ENOMEM" || n < limit/4 || n > limit || run.exited.Cause != order.CauseExit {
				t.Errorf("%d MiB, %s, %+v", n, word, run.exited)
			}
			return
		}
		const limit = 64 << 20
		run := explode(t, at, `"limits":{"memory":"64M"}`, "memory", "256")
		x := &run.exited
		if x.Cause != order.CauseOOM || run.code != 137 || x.MemoryLimit != limit || run.stdout.Len() != 0 {
			t.Errorf("code %d, %+v, %q", run.code, x, &run.stdout)
		}
		// Who is being killed gets what it asks for meanwhile: some pages more than the limit.
		if told := peakTold(t); told && (x.MemoryPeak > limit*5/4 || x.MemoryPeak < limit*9/10) {
			t.Errorf("a peak of %d bytes", x.MemoryPeak)
		}
		if !strings.Contains(run.stderr.String(), "memory limit 64M reached\n") {
			t.Errorf("said %q", &run.stderr)
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

// Memory that a child took is the group's as well, and the child is not killed alone. The kernel kills the child first and then
// the others (oom_kill_process in mm/oom_kill.c), and promises no order in which they end: a parent that were spared would say so
// later than that.
func TestMemoryOfAChild(t *testing.T) {
	for _, at := range delegated(t) {
		t.Run(at.name, func(t *testing.T) {
			bomb := testbed.Program(t, "probe")
			keys := `"limits":{"memory":"64M"},"filesystem":{"allowRead":["` + bomb + `"]}`
			run := start(t, at, keys, "/bin/sh", "-c", bomb+" memory 256; sleep 20; echo the parent lives")
			run.end()
			if x := &run.exited; x.Cause != order.CauseOOM || run.code != 137 || run.stdout.Len() != 0 || x.MemoryLimit != 64<<20 {
				t.Errorf("code %d, %+v, %q\n%s", run.code, x, &run.stdout, &run.stderr)
			}
		})
	}
}

// One that is told to be killed is not told to have run out of memory.
func TestKilledOtherwise(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := start(t, at, `"limits":{"memory":"256M"}`, "/bin/sh", "-c", "kill -9 $$")
		run.end()
		if run.exited.Cause != order.CauseSignal || strings.Contains(run.stderr.String(), "reached") {
			t.Errorf("%+v\n%s", run.exited, &run.stderr)
		}
	})
}

// counted reports whether the processes of a sandbox are limited here, and how many more than the limit may be there.
func (t *trial) counted(at place) bool {
	if at.group {
		return t.fact(order.Cgroup, "pids.max").Got != ""
	}
	return t.fact(order.Limits, "processes").Got != ""
}

func TestForkBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := explode(t, at, `"limits":{"pids":60,"timeout":"5m"}`, "fork", "500")
		n, word := run.far()
		// The bomb itself has some threads; each child too.
		if !run.counted(at) || word != "EAGAIN" || n < 5 || n > 60 {
			t.Errorf("%d children, %s, %+v", n, word, run.exited)
		}
		run.refusedForks(at)
	})
}

// refusedForks demands that the report tells of them, and one line on standard error.
func (t *trial) refusedForks(at place) {
	t.Helper()
	said := strings.Count(t.stderr.String(), "limit of 60 processes reached\n")
	if at.group && (t.exited.ForksRefused == 0 || said != 1) || !at.group && (t.exited.ForksRefused != 0 || said != 0) {
		t.Errorf("%d refused, said %d times\n%s", t.exited.ForksRefused, said, &t.stderr)
	}
}

// The real one doubles itself as fast as it can.
func TestDoublingForkBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		before := start(t, at, `"limits":{"pids":60}`, "/bin/true")
		if before.end(); !before.counted(at) {
			t.Fatal("processes are not limited here: nothing would stop it")
		}
		var run *trial
		for _, timeout := range []string{"3s", "40s"} { // some machines need longer for so many forks
			h := beat()
			run = start(t, at, `"limits":{"pids":60,"timeout":"`+timeout+`","grace":"500ms"}`, "/bin/sh", "-c", `b() { b | b & }; while :; do b; done 2>/dev/null; :`)
			run.end()
			h.calm(t)
			run.left(at)
			if run.exited.ForksRefused > 0 || !at.group {
				break
			}
		}
		// The shell ends itself when it cannot fork, or the time is over.
		if x := run.exited; x.Cause != order.CauseTimeout && x.Cause != order.CauseExit || !run.counted(at) {
			t.Errorf("%+v\n%s", x, &run.stderr)
		}
		run.refusedForks(at)
	})
}

func TestThreadBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := explode(t, at, `"limits":{"pids":60,"timeout":"5m"}`, "threads", "500")
		text := run.stderr.String()
		_, rest, _ := strings.Cut(text, "failed to create new OS thread (have ")
		number, _, _ := strings.Cut(rest, " ")
		if n, err := strconv.Atoi(number); err != nil || n < 50 || n > 62 || run.code != 2 {
			t.Errorf("%d threads, code %d\n%.500s", n, run.code, text)
		}
	})
}

// A server that uses every core and hears no signal has no more than its share of CPU where there is a group, and ends by its
// time; else it ends by RLIMIT_CPU, which it has from its time and its share, a second after SIGXCPU. What a share does not give
// is a least: others work on the same machine.
func TestSpinBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		if !at.group {
			run := explode(t, at, `"limits":{"cpu":"10m","timeout":"100s"}`, "spin")
			if x := &run.exited; x.Cause != order.CauseCPU || x.Signal != "SIGKILL" || x.CPUSeconds < 1.5 || x.CPUSeconds > 4 {
				t.Errorf("%+v", x)
			}
			return
		}
		run := explode(t, at, `"limits":{"cpu":"500m","timeout":"3s","grace":"200ms"}`, "spin")
		x := &run.exited
		if share := x.CPUSeconds / x.WallSeconds; share > 0.75 || x.CPUSeconds < 0.1 || x.Cause != order.CauseTimeout {
			t.Errorf("%.2f of a core, %+v", share, x)
		}
	})
}
