package shim_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// This test binary as a reaper, of others' children and of one of its own.
const parentName = "shim.test parent"

// reapChild starts a child and says its process id, reaps once standard input has ended, and says how much processor time
// that took.
func reapChild([]string) int {
	c := exec.Command("sleep", "600")
	if platform.SetChildSubreaper() != nil || c.Start() != nil {
		return altered.ExitWrong
	}
	fmt.Println(c.Process.Pid)
	os.Stdin.Read(make([]byte, 1))
	before := processorTime()
	code := shim.Reap()
	took := processorTime() - before
	before = processorTime()
	for pid := 2; pid < 1<<18; pid++ { // a sixteenth of all process ids
		_ = unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	}
	fmt.Println(took, 16*(processorTime()-before))
	return code
}

func processorTime() time.Duration {
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// A child whose end takes time is no hidden child: the reaper does not ask for four million process ids.
func TestSlowEndIsNotHidden(t *testing.T) {
	runtime.LockOSThread() // ptrace(2) belongs to a thread
	defer runtime.UnlockOSThread()
	c := testbed.As(parentName)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	said := bufio.NewReader(out)
	line, _ := said.ReadString('\n')
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	// A traced process stops in its end until its tracer goes on.
	if _, _, e := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(child), 0, unix.PTRACE_O_TRACEEXIT, 0, 0); e != 0 {
		t.Fatal(e)
	}
	in.Close()
	// The reaper's SIGSTOP may stop the child once before: from there the reaper's SIGKILL takes it to its end.
	for status := unix.WaitStatus(0); status.TrapCause() != unix.PTRACE_EVENT_EXIT; {
		if _, err := unix.Wait4(child, &status, unix.WALL, nil); err != nil || !status.Stopped() {
			t.Fatalf("%#x, %v", status, err)
		}
	}
	looked := testbed.Sleeps(c.Process.Pid)
	testbed.Await(t, "look after look of the reaper at the child", func() bool { return testbed.Sleeps(c.Process.Pid) >= looked+20 })
	// On some kernels a further signal of the reaper's ends the stop by itself.
	if err := unix.PtraceDetach(child); err != nil && !errors.Is(err, unix.ESRCH) {
		t.Fatal(err)
	}
	line, _ = said.ReadString('\n')
	first, second, _ := strings.Cut(strings.TrimSpace(line), " ")
	took, err1 := time.ParseDuration(first)
	all, err2 := time.ParseDuration(second)
	if e := c.Wait(); e != nil || err1 != nil || err2 != nil || took > all/2 {
		t.Errorf("%v, %v, %v, %v of a processor, and to ask for all takes %v", e, err1, err2, took, all)
	}
}
