package seccomp

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// TestTraced: with OneExec one execve passes, the one during which the tracer lets go. After it there is none.
func TestTraced(t *testing.T) {
	runtime.LockOSThread() // ptrace(2) belongs to a thread
	defer runtime.UnlockOSThread()
	cmd := child(t, "traced", "/bin/sh", "-c", "echo first; exec /bin/echo second")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	let := false
	for deadline := time.Now().Add(testbed.Patience()); !let; {
		if time.Now().After(deadline) {
			t.Fatal("no execve seen")
		}
		var status unix.WaitStatus
		if _, err := unix.Wait4(cmd.Process.Pid, &status, 0, nil); err != nil {
			t.Fatal(err)
		}
		switch {
		case !status.Stopped():
			t.Fatalf("ended early: %v\n%s", status, out.Bytes())
		case status.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
			let = true
			if err := unix.PtraceDetach(cmd.Process.Pid); err != nil {
				t.Fatal(err)
			}
		case status.StopSignal() == unix.SIGTRAP:
			if err := unix.PtraceSetOptions(cmd.Process.Pid, unix.PTRACE_O_TRACESECCOMP); err != nil {
				t.Fatal(err)
			}
			unix.PtraceCont(cmd.Process.Pid, 0)
		default: // Go's own preemption signals
			unix.PtraceCont(cmd.Process.Pid, int(status.StopSignal()))
		}
	}
	err := cmd.Wait()
	if got := out.String(); !strings.HasPrefix(got, "first\n") || strings.Contains(got, "second\n") || err == nil {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestUntraced: without a tracer there is not even the first.
func TestUntraced(t *testing.T) {
	out, err := child(t, "traced", "/bin/echo", "first").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "function not implemented") {
		t.Errorf("%v\n%s", err, out)
	}
}

// timeChild prints the median time of seccomp(2) for the default filter, each on a thread of its own.
func timeChild() {
	program, err := Program(runtime.GOARCH, Options{})
	if err != nil {
		fatal(err)
	}
	took := make([]time.Duration, 300)
	for i := range took {
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with its filter
			err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
			start := time.Now()
			if err == nil {
				err = load(program)
			}
			took[i] = time.Since(start)
			done <- err
		}()
		if err := <-done; err != nil {
			fatal(err)
		}
	}
	slices.Sort(took)
	println("median", took[len(took)/2].Microseconds(), "us, fastest", took[0].Microseconds(), "of", len(program), "instructions")
	syscall.Exit(0)
}

// TestLoadTime reports what loading costs; a limit would measure the machine.
func TestLoadTime(t *testing.T) {
	out, err := child(t, "time").CombinedOutput()
	if err != nil || !bytes.HasPrefix(out, []byte("median ")) {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
