package launcher_test

import (
	"context"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
)

// A shim that somebody stopped ends its server all the same, when the host closes the sandbox or the context ends.
func TestStoppedShim(t *testing.T) {
	for cause, end := range map[order.Cause]func(sb *launcher.Sandbox, cancel func()){
		order.CauseHostGone:  func(sb *launcher.Sandbox, _ func()) { sb.Close() },
		order.CauseCancelled: func(_ *launcher.Sandbox, cancel func()) { cancel() },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		sb := command(t, ctx, "sleep 1000")
		if err := sb.Cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := sb.Report(within(t)); err != nil {
			t.Fatal(err)
		}
		if err := sb.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		end(sb, cancel)
		if x, err := sb.Wait(within(t)); err != nil || x.Cause != cause {
			t.Errorf("%+v, %v, want %s", x, err, cause)
		}
		sb.Cmd.Wait()
	}
}

// A child that the host forked keeps both ends of the socket. All the same Close reaches the shim, and the end of the shim
// the host.
func TestForkKeepsTheSocket(t *testing.T) {
	for name, end := range map[string]func(*launcher.Sandbox){
		"close": func(sb *launcher.Sandbox) { sb.Close() },
		"kill":  func(sb *launcher.Sandbox) { sb.Cmd.Process.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			sb := command(t, t.Context(), "sleep 1000")
			pid := fork()
			defer func() {
				syscall.Kill(pid, syscall.SIGKILL)
				syscall.Wait4(pid, nil, 0, nil)
			}()
			if err := sb.Cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := sb.Report(within(t)); err != nil {
				t.Fatal(err)
			}
			end(sb)
			x, err := sb.Wait(within(t))
			if err != nil || x.Cause != order.CauseHostGone && x.Cause != order.CauseSupervisorLost {
				t.Errorf("%+v, %v", x, err)
			}
			sb.Cmd.Wait()
		})
	}
}

// fork makes a child that executes nothing and waits for somebody to kill it. It has this thread alone, and none of Go's
// runtime may run in it.
//
//go:norace
func fork() (pid int) {
	r, _, _ := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
	for r == 0 {
		syscall.RawSyscall(syscall.SYS_PPOLL, 0, 0, 0)
	}
	return int(r)
}
