//go:build darwin || windows

package launcher_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// The server of these tests is the one of a probe: a process and a daemon of its, which stay until they are ended.
func prepared(t *testing.T, ctx context.Context, p policy.Policy) (*launcher.Sandbox, *bufio.Reader) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: self, Args: []string{reexec.DaemonServer}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	out, err := sb.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return sb, bufio.NewReader(out)
}

func started(t *testing.T, sb *launcher.Sandbox, out *bufio.Reader) *launcher.Report {
	t.Helper()
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	report, err := sb.Report(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if line, err := out.ReadString('\n'); strings.TrimSpace(line) != strings.TrimSpace(reexec.Daemonised) {
		t.Fatalf("%q, %v", line, err)
	}
	return report
}

// ended demands the end of the whole tree: both processes hold the pipe.
func ended(t *testing.T, sb *launcher.Sandbox, out *bufio.Reader, cause order.Cause) {
	t.Helper()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	result, err := sb.Wait(t.Context())
	if err != nil || result.Cause != cause {
		t.Errorf("%+v, %v, want %s", result, err, cause)
	}
	sb.Cmd.Wait()
}

func TestOtherSystems(t *testing.T) {
	short := policy.Policy{Limits: policy.Limits{Grace: policy.Duration(300 * time.Millisecond)}}
	t.Run("time limit", func(t *testing.T) {
		p := short
		p.Limits.Timeout = policy.Duration(5 * time.Second)
		sb, out := prepared(t, t.Context(), p)
		report := started(t, sb, out)
		if report.Confinement != "limits" || len(report.Layers) != 9 || report.PID <= 0 {
			t.Errorf("%+v", report)
		}
		ended(t, sb, out, order.CauseTimeout)
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		sb, out := prepared(t, ctx, short)
		started(t, sb, out)
		cancel()
		ended(t, sb, out, order.CauseCancelled)
	})
	t.Run("close", func(t *testing.T) {
		sb, out := prepared(t, t.Context(), short)
		started(t, sb, out)
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
		io.Copy(io.Discard, out) // nobody is told how it ended, but it ends
		sb.Cmd.Wait()
	})
	t.Run("shim killed", func(t *testing.T) {
		sb, out := prepared(t, t.Context(), short)
		started(t, sb, out)
		sb.Cmd.Process.Kill()
		ended(t, sb, out, order.CauseSupervisorLost)
	})
	t.Run("refused", func(t *testing.T) {
		sb, _ := prepared(t, t.Context(), policy.Policy{Level: policy.Strict})
		if err := sb.Cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, err := sb.Report(t.Context())
		var refused *launcher.Error
		if !errors.As(err, &refused) || refused.Layer != order.Policy || refused.Hint == "" {
			t.Errorf("%+v", err)
		}
		sb.Cmd.Wait()
		if code := sb.Cmd.ProcessState.ExitCode(); code != 125 {
			t.Errorf("status %d", code)
		}
	})
	t.Run("never started", func(t *testing.T) {
		sb, _ := prepared(t, t.Context(), short)
		if err := sb.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What doctor finds is what a launch gets.
func TestProbeOfOtherSystems(t *testing.T) {
	m, err := launcher.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.OS != runtime.GOOS || m.Kernel == "" || m.Confinement != policy.ConfinementLimits || m.Refused != nil || len(m.Layers) != 9 {
		t.Errorf("%+v", m)
	}
	states := map[string]launcher.CheckState{}
	for _, c := range m.Checks {
		states[c.Name] = c.State
		if c.Detail == "" {
			t.Errorf("%s says nothing", c.Name)
		}
	}
	if states["Timeout and whole-tree kill"] != launcher.Works || states["Network isolation"] != launcher.Missing || states["Confinement reachable"] != launcher.Limited {
		t.Errorf("%v", states)
	}
}
