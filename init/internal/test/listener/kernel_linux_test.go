package listener_test

import (
	"errors"
	"runtime"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// What the kernel does with a call that is asked about: it has the answer's errno; without anybody who could answer
// it is refused as well, those that wait already too. So whatever becomes of the shim, nothing goes through.
func TestNobodyAnswers(t *testing.T) {
	code, err := seccomp.Program(runtime.GOARCH, seccomp.Options{Notify: true})
	if err != nil {
		t.Fatal(err)
	}
	var program []unix.SockFilter
	for _, i := range code {
		program = append(program, unix.SockFilter{Code: i.Code, Jt: i.JT, Jf: i.JF, K: i.K})
	}
	listener, answers := make(chan int), make(chan error)
	go func() {
		undisturbed() // and the thread ends with its filter
		fd, err := listen(program)
		if err != nil {
			t.Error(err)
			close(listener)
			return
		}
		listener <- fd
		for range 3 {
			// Not call, whose raw one keeps the processor from who answers, if there is but one.
			_, _, err := syscall.Syscall(unix.SYS_PTRACE, 0, 0, 0)
			answers <- err
		}
	}()
	fd, ok := <-listener
	if !ok {
		return
	}
	wait := func() {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			if n, err := unix.Poll(fds, 60000); n == 1 {
				return
			} else if err != unix.EINTR {
				t.Fatalf("nothing is asked: %v", err)
			}
		}
	}
	answer := func() error { return testbed.Receive(t, "an answer", answers) }
	for taken := false; !taken; { // a signal of the Go runtime's may take the call back: then it is made again
		wait()
		n, err := platform.Notified(fd)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err != nil || seccomp.Name(n.Number) != "ptrace" || n.Thread == 0 {
			t.Fatalf("%+v, %v", n, err)
		}
		if err := platform.RefuseCall(fd, n.ID+1<<32, unix.EPERM); !errors.Is(err, unix.ENOENT) {
			t.Errorf("an answer to nobody: %v", err)
		}
		err = platform.RefuseCall(fd, n.ID, unix.EPERM)
		if taken = err == nil; !taken && !errors.Is(err, unix.ENOENT) {
			t.Fatal(err)
		}
	}
	if got := answer(); got != unix.EPERM {
		t.Errorf("answered: %v", got)
	}
	wait()
	unix.Close(fd)
	for _, when := range []string{"while it waits", "afterwards"} {
		if got := answer(); got != unix.ENOSYS {
			t.Errorf("the listener ended %s: %v", when, got)
		}
	}
}
