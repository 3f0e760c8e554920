package proctree

import (
	"bufio"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// vforkArg makes this binary a process whose vfork(2) waits for a child that executes nothing.
const vforkArg = "wait-in-vfork"

// init keeps the main goroutine in the main thread, whose state is that of /proc/PID/stat.
func init() { runtime.LockOSThread() }

func TestMain(m *testing.M) {
	testbed.Roles{vforkArg: waitInVfork}.Play()
	os.Exit(m.Run())
}

func waitInVfork([]string) int {
	if pid, _, _ := unix.RawSyscall6(unix.SYS_CLONE, unix.CLONE_VFORK|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0); pid != 0 {
		return 0
	}
	for {
		unix.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
}

// The parent of a vfork waits uninterruptibly for a child that is stopped: a sweep does not wait for the parent.
func TestSweepInVfork(t *testing.T) {
	c := exec.Command("/bin/sh", "-c", `"$@" & wait`, "sh", os.Args[0], vforkArg)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	waiting := func(p Process) bool { return p.state == 'D' }
	waits := func() bool { // for its child: another wait may be for a page
		all := Descendants(c.Process.Pid)
		return len(all) == 2 && slices.ContainsFunc(all, waiting)
	}
	testbed.Await(t, "a process that waits in vfork", waits)
	w, signalled := Sweep{Root: c.Process.Pid}, map[int]uint64{}
	if testbed.Await(t, "a sweep that waits for nobody", func() bool { return w.stop(signalled) == 0 }); !waits() {
		t.Error("the parent did not wait")
	}
	if n := w.Kill(); n != 2 {
		t.Errorf("%d killed, want 2", n)
	}
}

// family starts a shell with a child and a grandchild in a session of its own, and returns the shell's pid.
func family(t *testing.T) int {
	t.Helper()
	c := exec.Command("/bin/sh", "-c", "{ sleep 600 & setsid sleep 600 & echo ready; wait; } & wait")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		(&Sweep{Root: c.Process.Pid}).Kill()
		c.Process.Kill()
		c.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return c.Process.Pid
}

func TestDescendants(t *testing.T) {
	root := family(t)
	var depths []int
	for _, p := range Descendants(root) {
		depths = append(depths, p.Depth)
	}
	if slices.Sort(depths); !slices.Equal(depths, []int{1, 2, 2}) || Living(root) != 3 {
		t.Errorf("depths %v, %d living, want 1 2 2 and 3", depths, Living(root))
	}
}

// A sweep spares whom it is told to spare, and counts those that it killed.
func TestSweep(t *testing.T) {
	root := family(t)
	all := Descendants(root)
	spared := all[slices.IndexFunc(all, func(p Process) bool { return p.Depth == 2 })]
	if n := (&Sweep{Root: root, Spares: func(pid int) bool { return pid == spared.PID }}).Kill(); n != 2 {
		t.Errorf("%d were killed, want 2", n)
	}
	if now, err := Look(spared.PID); err != nil || now.Dead() || now.Stopped() {
		t.Errorf("%+v, %v: the spared process does not run", now, err)
	}
	spared.Signal(unix.SIGKILL)
}

func TestHalt(t *testing.T) {
	root := family(t)
	Sweep{Root: root}.Halt(testbed.Patience())
	for _, p := range Descendants(root) {
		if !p.Stopped() {
			t.Errorf("%+v is not stopped", p)
		}
	}
}

// A signal goes to the process that was read, and not to another that has its pid by now.
func TestSignalOfAnother(t *testing.T) {
	p := Descendants(family(t))[0]
	other := p
	other.Start++
	if err := other.Signal(0); err != unix.ESRCH || !other.Ended() {
		t.Errorf("%v, ended %v, want ESRCH and true", err, other.Ended())
	}
	if err := p.Signal(0); err != nil || p.Ended() {
		t.Errorf("%v, ended %v: the control", err, p.Ended())
	}
}

// A table that was not read atomically can show a parent that is younger than its child, or a cycle.
func TestDepth(t *testing.T) {
	all := map[int]Process{
		10: {PID: 10, Parent: 1, Start: 5}, 11: {PID: 11, Parent: 10, Start: 6}, 12: {PID: 12, Parent: 11, Start: 7},
		20: {PID: 20, Parent: 10, Start: 4}, 21: {PID: 21, Parent: 20, Start: 9},
		30: {PID: 30, Parent: 31, Start: 8}, 31: {PID: 31, Parent: 30, Start: 8},
	}
	for pid, want := range map[int]int{10: 1, 11: 2, 12: 3, 20: 0, 21: 0, 30: 0, 99: 0} {
		if got := depth(all, pid, 1); got != want {
			t.Errorf("depth of %d is %d, want %d", pid, got, want)
		}
	}
}

// A process that is killed and has not ended yet counts once.
func TestSlowEndCountsOnce(t *testing.T) {
	runtime.LockOSThread() // ptrace(2) belongs to a thread
	defer runtime.UnlockOSThread()
	c := exec.Command("/bin/sh", "-c", "sleep 600 & echo $!; wait")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	slow, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	// A traced process stops in its end until its tracer goes on.
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(slow), 0, unix.PTRACE_O_TRACEEXIT, 0, 0); e != 0 {
		t.Fatal(e)
	}
	defer unix.PtraceDetach(slow)
	w := Sweep{Root: c.Process.Pid}
	if first, second := w.Kill(), w.Kill(); first != 1 || second != 0 {
		t.Errorf("counted %d, then %d", first, second)
	}
	if p, err := Look(slow); err != nil || p.Dead() {
		t.Errorf("the process has ended: %v", err)
	}
}
