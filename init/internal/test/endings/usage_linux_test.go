package endings_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// The processor time of the whole tree is told, of a child that left its parent as well.
func TestCPUTime(t *testing.T) {
	t.Parallel()
	const spin = `i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; times`
	run := start(t, of(shell(`echo ready; (setsid sh -c '`+spin+`' &); `+spin+`; sleep 1000`)),
		`"limits":{"grace":"100ms"}`, false)
	run.line("ready")
	ready := time.Now()
	own := 0.0
	for range 4 { // two lines of each: its own time, and that of its children
		for _, f := range strings.Fields(run.next()) {
			d, err := time.ParseDuration(f)
			if err != nil {
				t.Fatal(err)
			}
			own += d.Seconds()
		}
	}
	from := time.Now()
	run.stdin.Close()
	_, x := run.end()
	if x == nil || x.CPUSeconds < own*0.8 || x.CPUSeconds > own*1.3+0.2 { // each twice would be more
		t.Errorf("%+v, the processes themselves say %.3f s", x, own)
	}
	t.Logf("told %.3f s, the processes say %.3f s", x.CPUSeconds, own)
	if least, most := from.Sub(ready).Seconds(), time.Since(run.began).Seconds(); x.WallSeconds > most || x.WallSeconds < least {
		t.Errorf("%.3f s of wall time, seen %.3f s to %.3f s", x.WallSeconds, least, most)
	}
}

// The memory is that of the largest process, wherever in the tree.
func TestMaxRSS(t *testing.T) {
	t.Parallel()
	const size = 200 << 20
	dd := fmt.Sprintf("dd if=/dev/zero of=/dev/null bs=%d count=1 2>/dev/null", size)
	for name, script := range map[string]string{
		"itself": "exec " + dd,
		"child":  "(" + dd + "); exit 0",
		"orphan": "(setsid sh -c '" + dd + "; : >/tmp/done' &); while [ ! -e /tmp/done ]; do sleep 0.05; done",
	} {
		run := start(t, of(shell(script)), "", false)
		code, x := run.end()
		if code != 0 || x == nil || x.MaxRSS < size || x.MaxRSS > size*5/4 {
			t.Errorf("%s: code %d, %+v", name, code, x)
		}
	}
}

// A limit of time brings RLIMIT_CPU with it, on every core that there is, and a second more until SIGKILL.
func TestCPULimit(t *testing.T) {
	t.Parallel()
	run := start(t, of(shell("ulimit -St; ulimit -Ht")), `"limits":{"timeout":"90s"}`, false)
	soft := 90 * runtime.NumCPU()
	run.line(strconv.Itoa(soft))
	run.line(strconv.Itoa(soft + 1))
	run.end()
}

// What ends by its processor time is told so, whether it heeds SIGXCPU or not. The launcher has the same limit, and
// needs less.
func TestCPUCause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, limit, script, signal string
		code                        int
	}{
		{"SIGXCPU", "ulimit -St 1", "while :; do :; done", "SIGXCPU", 152},
		{"ignored", "ulimit -t 1", `trap "" XCPU; while :; do :; done`, "SIGKILL", 137},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := start(t, launch{Launch: host.Launch{Command: shell(c.script)}, Through: []string{"/bin/sh", "-c", c.limit + `; exec "$@"`, "sh"}}, "", false)
			code, x := run.end()
			if code != c.code || x == nil || x.Cause != order.CauseCPU || x.Signal != c.signal {
				t.Errorf("code %d, %+v", code, x)
			}
		})
	}
	t.Run("killed otherwise", func(t *testing.T) {
		t.Parallel()
		run := start(t, of(shell("kill -9 $$")), `"limits":{"timeout":"10m"}`, false)
		if code, x := run.end(); code != 137 || x == nil || x.Cause != order.CauseSignal {
			t.Errorf("code %d, %+v", code, x)
		}
	})
}

// The server's exit code is the launcher's, and so is 128 and the signal that ended it. MCP_SANDBOX_STRESS tries all.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	type end struct {
		script string
		code   int
		cause  order.Cause
	}
	var all []end
	for i := range 256 {
		// 95 to 99 are what init itself ends with when it fails, 124 to 127 what the launcher does.
		if stress() || i < 4 || i >= 95 && i < 100 || i >= 124 && i < 131 || i == 255 {
			all = append(all, end{"exit " + strconv.Itoa(i), i, order.CauseExit})
		}
	}
	for sig := 1; sig <= 64; sig++ {
		switch {
		case sig >= 17 && sig <= 23, sig == 28: // do not end a process: CHLD CONT STOP TSTP TTIN TTOU URG, WINCH
		case sig == 32 || sig == 33: // the C library's own
		case stress() || sig < 17 || sig == 34 || sig == 64:
			cause := order.CauseSignal
			if sig == 24 {
				cause = order.CauseCPU
			}
			all = append(all, end{fmt.Sprintf("kill -%d $$; sleep 5", sig), 128 + sig, cause})
		}
	}
	var wg sync.WaitGroup
	next := make(chan end)
	for range 4 {
		wg.Go(func() {
			for e := range next {
				run := start(t, of(shell(e.script)), "", false)
				if code, x := run.end(); code != e.code || x == nil || x.ExitCode != code || x.Cause != e.cause || x.Killed != 0 {
					t.Errorf("%s: code %d, %+v", e.script, code, x)
				}
			}
		})
	}
	for _, e := range all {
		next <- e
	}
	close(next)
	wg.Wait()
	t.Logf("%d endings", len(all))
}

// stress reports whether this run is to try everything, however long it takes.
func stress() bool { return os.Getenv("MCP_SANDBOX_STRESS") != "" }
