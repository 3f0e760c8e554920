package launcher_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// settle waits until as many descriptors are open as before.
func settle(t *testing.T, want int) {
	t.Helper()
	if !testbed.Comes(func() bool { runtime.GC(); return descriptors(t) <= want }) {
		t.Errorf("%d descriptors, %d before", descriptors(t), want)
	}
}

// quiet is how many descriptors are open once the tests before this one have given back theirs.
func quiet(t *testing.T) int {
	t.Helper()
	n, same := descriptors(t), 0
	testbed.Await(t, "the same descriptors again and again", func() bool {
		forgotten(t)
		if now := descriptors(t); now != n {
			n, same = now, 0
		}
		same++
		return same > 10
	})
	return n
}

// forgotten waits until what is in nobody's hands any more was given back as far as the runtime does that.
func forgotten(t *testing.T) {
	t.Helper()
	for range 3 { // what one collection frees may hold the next
		freed := make(chan struct{})
		runtime.SetFinalizer(&[16]byte{}, func(*[16]byte) { close(freed) })
		testbed.Await(t, "the end of a forgotten value", func() bool {
			runtime.GC()
			select {
			case <-freed:
				return true
			default:
				return false
			}
		})
	}
}

func TestCloseGivesBack(t *testing.T) {
	before := quiet(t)
	sb := command(t, t.Context(), "true")
	if descriptors(t) < before+3 {
		t.Error("nothing to give back")
	}
	if err := errors.Join(sb.Close(), sb.Close()); err != nil || descriptors(t) > before {
		t.Errorf("%v; %d descriptors, %d before", err, descriptors(t), before)
	}
	command(t, t.Context(), "true").Close()
	func() {
		for range 10 { // forgotten, never started
			if _, err := launcher.Command(t.Context(), policy.Policy{}, launcher.Target{Path: "/bin/true"}); err != nil {
				t.Fatal(err)
			}
		}
	}()
	settle(t, before)
}

// A host that keeps the Cmd alone, as an SDK's transport does, or not even that, has a server that lives.
func TestForgottenServerLives(t *testing.T) {
	before := quiet(t)
	for _, keep := range []bool{true, false} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		out := new(bytes.Buffer)
		func() {
			sb, err := launcher.Command(t.Context(), policy.Policy{}, launcher.Target{Path: "/bin/cat", Dir: "/"})
			if err != nil {
				t.Fatal(err)
			}
			sb.Cmd.Stdin, sb.Cmd.Stdout = r, out
			if err := sb.Cmd.Start(); err != nil {
				t.Fatal(err)
			}
			cmd := sb.Cmd
			done := make(chan error, 1)
			if keep {
				go func(cmd *exec.Cmd) { done <- cmd.Wait() }(cmd)
			}
			forget(t, sb)
			sb, cmd = nil, nil
			forgotten(t)
			if _, err := w.Write([]byte("still there\n")); err != nil {
				t.Error(err)
			}
			r.Close()
			w.Close()
			if keep {
				if err := <-done; err != nil || out.String() != "still there\n" {
					t.Errorf("%v, said %q", err, out)
				}
			}
		}()
	}
	settle(t, before+1) // the child's end of an output pipe that nobody waits for
}

// forget sees to it that the report has come, or the server might not live yet.
func forget(t *testing.T, sb *launcher.Sandbox) {
	t.Helper()
	if _, err := sb.Report(within(t)); err != nil {
		t.Error(err)
	}
}

// A grace that is longer than the kill after the end of the context moves that.
func TestGraceBeforeKill(t *testing.T) {
	for grace, want := range map[time.Duration]time.Duration{time.Second: 7 * time.Second, 30 * time.Second: 32 * time.Second} {
		p := policy.Policy{Limits: policy.Limits{Grace: policy.Duration(grace)}}
		sb, err := launcher.Command(t.Context(), p, launcher.Target{Path: "/bin/true"})
		if err != nil {
			t.Fatal(err)
		}
		if sb.Cmd.WaitDelay != want {
			t.Errorf("%v: %v, want %v", grace, sb.Cmd.WaitDelay, want)
		}
		sb.Close()
	}
}

func TestContextEndsTheServer(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	sb, in := started(t, ctx)
	defer in.Close()
	if _, err := sb.Report(within(t)); err != nil {
		t.Fatal(err)
	}
	stop()
	r, err := sb.Wait(within(t))
	if err != nil || r.Cause != order.CauseCancelled || r.Signal != "SIGTERM" || r.ExitCode != 143 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := sb.Cmd.Wait(); err == nil {
		t.Error("no error from Cmd.Wait")
	}
}

func TestCloseEndsTheServer(t *testing.T) {
	sb, in := started(t, t.Context())
	defer in.Close()
	if _, err := sb.Report(within(t)); err != nil {
		t.Fatal(err)
	}
	sb.Close()
	done := make(chan error, 1)
	go func() { done <- sb.Cmd.Wait() }()
	defer sb.Cmd.Process.Kill()
	err := testbed.Receive(t, "the server's end by its host's", done)
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 143 {
		t.Errorf("%v", err)
	}
}
