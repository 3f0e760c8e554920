package endings_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// While a server waits, shim and init cost nothing but a little memory. How much differs from launch to launch, mostly in
// Go's heap, which a busy machine makes larger: the least of three counts.
func TestSteadyState(t *testing.T) {
	t.Parallel()
	all := []int{steady(t), steady(t), steady(t)}
	if slices.Min(all) > 1536 {
		t.Errorf("%d kB of private dirty memory", all)
	}
}

// steady is the private dirty memory of a launch whose server waits, in kB.
func steady(t *testing.T) int {
	t.Helper()
	program := testbed.Command(t, "mcp-sandbox-init")
	if f, err := os.Open(program); err == nil { // a file just built is dirty as a whole
		f.Sync()
		f.Close()
	}
	cmd := exec.Command(program, "--", "/bin/sh", "-c", "echo ready; exec sleep 1000")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Signal(unix.SIGTERM)
	out.Read(make([]byte, 16))
	shim := cmd.Process.Pid
	init := testbed.Children(shim)
	if len(init) != 1 {
		t.Fatalf("children of the shim: %v", init)
	}
	sometimes(t, func() error { // until what a launch leaves to do is done
		before := ticks(t, shim) + ticks(t, init[0])
		switched := testbed.Sleeps(shim) + testbed.Sleeps(init[0])
		testbed.Span(2 * time.Second)
		used, woke := ticks(t, shim)+ticks(t, init[0])-before, testbed.Sleeps(shim)+testbed.Sleeps(init[0])-switched
		if used != 0 || woke != 0 {
			return fmt.Errorf("%d ticks of processor time and %d wake-ups in 2 s with an idle server", used, woke)
		}
		return nil
	})
	dirty := field(t, fmt.Sprintf("/proc/%d/smaps_rollup", shim), "Private_Dirty")
	inInit := field(t, fmt.Sprintf("/proc/%d/status", init[0]), "RssAnon") // nobody may look further into it
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", shim))
	t.Logf("private dirty memory: shim %d kB and init %d kB; %d threads", dirty, inInit, len(threads))
	if len(threads) > 8 {
		t.Errorf("%d threads", len(threads))
	}
	return dirty + inInit
}

// A server that floods its init with children and signals is its own load: the shim sleeps.
func TestFloodStaysInside(t *testing.T) {
	t.Parallel()
	run := start(t, of(shell(`echo ready; i=0; while :; do (:) & kill -CHLD 1; kill -USR1 1; done`)), `"limits":{"grace":"100ms"}`, false)
	run.line("ready")
	shim := run.cmd.Process.Pid
	sometimes(t, func() error {
		before, woke := ticks(t, shim), testbed.Sleeps(shim)
		testbed.Span(time.Second)
		if used, times := ticks(t, shim)-before, testbed.Sleeps(shim)-woke; used > 2 || times > 50 {
			return fmt.Errorf("%d ticks and %d wake-ups of the shim", used, times)
		}
		return nil
	})
	run.cmd.Process.Signal(unix.SIGTERM)
	run.end()
	run.nobodyLeft()
}

// ticks is the processor time that a process has used; proc_pid_stat(5).
func ticks(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return user + system
}

// field is the number behind a name in a file of /proc.
func field(t *testing.T, path, name string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("%s has no %s", path, name)
	return 0
}
