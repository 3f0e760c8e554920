package noshim

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// command prepares a shell in a sandbox.
func command(tb testing.TB, ctx context.Context, script string) *launcher.Sandbox {
	tb.Helper()
	return commandWith(tb, ctx, policy.Policy{}, script)
}

func commandWith(tb testing.TB, ctx context.Context, p policy.Policy, script string) *launcher.Sandbox {
	tb.Helper()
	t := launcher.Target{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/"}
	sb, err := launcher.Command(ctx, p, t)
	if err != nil {
		tb.Fatal(err)
	}
	return sb
}

// waits is a server that runs until its standard input ends.
const waits = "read line; exit 7"

// running is a server that waits, and was released.
func running(tb testing.TB, ctx context.Context) (sb *launcher.Sandbox, in *os.File) {
	tb.Helper()
	sb = command(tb, ctx, waits)
	from, in, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	defer from.Close()
	sb.Cmd.Stdin = from
	if err := sb.Cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	if _, err := sb.Report(ctx); err != nil {
		tb.Fatal(err)
	}
	return sb, in
}

// hosted demands that the launch of a process needed no shim.
func hosted(tb testing.TB, sb *launcher.Sandbox) {
	tb.Helper()
	if name := comm(sb.Cmd.Process.Pid); name != order.ParentName {
		tb.Fatalf("the process that was started is %q, not the parent of a sandbox without a shim", name)
	}
}

// comm is the name of a process; proc_pid_comm(5).
func comm(pid int) string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	return strings.TrimSpace(string(b))
}

// A kind is a way in which a launch goes, and goes wrong. Moment i of n is when something else happens meanwhile.
type kind struct {
	name string
	do   func(t *testing.T, ctx context.Context, i, n int)
}

const launchTime = 15 * time.Millisecond // of a launch, more or less; any other time serves as well

// start starts a server that something ends.
func start(t *testing.T, sb *launcher.Sandbox) {
	t.Helper()
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

func kinds() []kind { return slices.Concat(ending(), cut(), held(), odd()) }

// ending are launches whose servers end by themselves, or that are refused.
func ending() []kind {
	return []kind{
		{"runs", func(t *testing.T, ctx context.Context, _, _ int) { ends(t, ctx, command(t, ctx, "exit 3"), 3) }},
		{"missing", func(t *testing.T, ctx context.Context, _, _ int) {
			sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: "/missing/command", Dir: "/"})
			if err != nil {
				t.Fatal(err)
			}
			_ = sb.Cmd.Run()
			if _, err := sb.Wait(ctx); !errors.As(err, new(*launcher.Error)) {
				t.Errorf("a command that is not there: %v", err)
			}
		}},
		{"not executable", func(t *testing.T, ctx context.Context, _, _ int) {
			file := filepath.Join(testbed.Folder(t), "server")
			if err := os.WriteFile(file, []byte("\x7fELF is none"), 0o755); err != nil {
				t.Fatal(err)
			}
			p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{file}}}
			sb, err := launcher.Command(ctx, p, launcher.Target{Path: file, Dir: "/"})
			if err != nil {
				t.Fatal(err)
			}
			ends(t, ctx, sb, 126)
		}},
		{"file", func(t *testing.T, ctx context.Context, _, _ int) { // becomes a shim
			out, err := os.Create(filepath.Join(testbed.Folder(t), "out"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			sb := command(t, ctx, "exit 3")
			sb.Cmd.Stdout = out
			ends(t, ctx, sb, 3)
		}},
	}
}

// cut are launches that are cut short.
func cut() []kind {
	return []kind{
		{"cancelled", func(t *testing.T, ctx context.Context, i, n int) {
			ctx, cancel := context.WithCancel(ctx)
			sb := command(t, ctx, "sleep 1000")
			start(t, sb)
			testbed.Moment(i, n, launchTime)
			cancel()
			_ = sb.Cmd.Wait()
		}},
		{"cancelled before", func(t *testing.T, ctx context.Context, _, _ int) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			if err := command(t, ctx, "exit 3").Cmd.Run(); err == nil {
				t.Error("a command that was cancelled before ran")
			}
		}},
		{"closed", func(t *testing.T, ctx context.Context, i, n int) {
			sb := command(t, ctx, "sleep 1000")
			start(t, sb)
			testbed.Moment(i, n, launchTime)
			sb.Close()
			_ = sb.Cmd.Wait()
		}},
		{"closed during", func(t *testing.T, ctx context.Context, i, n int) {
			sb := command(t, ctx, "sleep 1000")
			done := make(chan error, 1)
			go func() { done <- sb.Cmd.Run() }()
			testbed.Moment(i, n, launchTime/3)
			sb.Close()
			testbed.Receive(t, "the end of a command whose sandbox was closed", done)
		}},
		{"closed before", func(t *testing.T, ctx context.Context, _, _ int) {
			sb := command(t, ctx, "exit 3")
			if err := errors.Join(sb.Close(), sb.Close()); err != nil || sb.Cmd.Start() == nil {
				t.Errorf("%v, or a closed sandbox has started", err)
			}
		}},
		{"no folder", func(t *testing.T, ctx context.Context, _, _ int) {
			sb := command(t, ctx, "exit 3")
			if sb.Cmd.Dir = "/missing"; sb.Cmd.Start() == nil {
				t.Error("a command has started in a folder that is not there")
			}
			sb.Close()
		}},
		{"forgotten", func(t *testing.T, ctx context.Context, _, _ int) { command(t, ctx, "exit 3") }},
		{"parent killed", func(t *testing.T, ctx context.Context, i, n int) {
			sb := command(t, ctx, "sleep 1000")
			start(t, sb)
			testbed.Moment(i, n, launchTime)
			_ = sb.Cmd.Process.Kill()
			_ = sb.Cmd.Wait()
			if x, err := sb.Wait(ctx); err == nil && x.Cause != order.CauseSupervisorLost {
				t.Errorf("the parent was killed: %+v", x)
			}
		}},
	}
}

// ends runs a command, whose status and result agree.
func ends(t *testing.T, ctx context.Context, sb *launcher.Sandbox, want int) {
	t.Helper()
	err := sb.Cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || sb.Cmd.ProcessState.ExitCode() != want {
		t.Errorf("%v, want status %d", err, want)
	}
	if x, err := sb.Wait(ctx); err != nil || x.ExitCode != want {
		t.Errorf("%+v, %v, want status %d", x, err, want)
	}
}

// Whatever becomes of a launch, its host has no more descriptors, goroutines, children and mounts than before.
func TestNothingIsLeft(t *testing.T) {
	ordinary(t)
	n := 40
	if testing.Short() {
		n = 6
	}
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
			defer cancel()
			sb, in := running(t, ctx)
			hosted(t, sb)
			in.Close()
			_ = sb.Cmd.Wait()
			k.do(t, ctx, 1, 1) // what is made once
			before := settled()
			stop := closedTwice(t)
			for i := range n {
				k.do(t, ctx, i, n)
			}
			stop()
			var after holdings
			if !testbed.Comes(func() bool { after = count(); return !after.more(before) }) {
				t.Errorf("of %d launches something is left\nbefore %+v\nafter  %+v", n, before, after)
			}
		})
	}
}
