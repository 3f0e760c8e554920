package launcher_test

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// beforeInit is made before TestMain calls reexec.Init: the host that forgot it.
var _, beforeInit = launcher.Command(context.Background(), policy.Policy{}, launcher.Target{Path: "/bin/true"})

func TestNotArmed(t *testing.T) {
	if !errors.Is(beforeInit, launcher.ErrNotArmed) {
		t.Errorf("%v", beforeInit)
	}
}

// command prepares a shell command without any grant.
func command(t testing.TB, ctx context.Context, script string) *launcher.Sandbox {
	t.Helper()
	return commandOf(t, ctx, policy.Policy{}, script)
}

func commandOf(t testing.TB, ctx context.Context, p policy.Policy, script string) *launcher.Sandbox {
	t.Helper()
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	return sb
}

// started starts a server that lives until its standard input ends.
func started(t *testing.T, ctx context.Context) (*launcher.Sandbox, io.Closer) {
	t.Helper()
	// Nobody waits for this grace: the server ends when it is asked.
	sb := commandOf(t, ctx, policy.Policy{Limits: policy.Limits{Grace: policy.Duration(testbed.Patience())}}, "read line")
	in, err := sb.Cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return sb, in
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), testbed.Patience())
	t.Cleanup(stop)
	return ctx
}

func TestBeforeStart(t *testing.T) {
	sb := command(t, within(t), "true")
	if r, err := sb.Report(within(t)); r != nil || err == nil || !strings.Contains(err.Error(), "started") {
		t.Errorf("report %v, %v", r, err)
	}
	if r, err := sb.Wait(within(t)); r != nil || err == nil || !strings.Contains(err.Error(), "started") {
		t.Errorf("wait %v, %v", r, err)
	}
	if err := sb.Cmd.Run(); err != nil { // and nothing was spoilt
		t.Error(err)
	}
	if r, err := sb.Wait(within(t)); err != nil || r.Cause != order.CauseExit {
		t.Errorf("wait %+v, %v", r, err)
	}
}

// Everybody who asks is told, while the server lives and after it; one whose context has ended is let go.
func TestManyAsk(t *testing.T) {
	sb, in := started(t, within(t))
	var all sync.WaitGroup
	over, stop := context.WithCancel(t.Context())
	stop()
	for range 8 {
		all.Go(func() {
			if r, err := sb.Report(within(t)); err != nil || r.Confinement != "full" || r.PID <= 0 {
				t.Errorf("report %+v, %v", r, err)
			}
		})
		all.Go(func() {
			if r, err := sb.Wait(over); r != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("wait %+v, %v", r, err)
			}
		})
	}
	all.Wait()
	if r, err := sb.Report(over); err != nil || r == nil {
		t.Errorf("what is known is not told: %v", err)
	}
	for range 8 {
		all.Go(func() {
			if r, err := sb.Wait(within(t)); err != nil || r.Cause != order.CauseExit || r.ExitCode != 1 {
				t.Errorf("wait %+v, %v", r, err)
			}
		})
	}
	in.Close()
	all.Wait()
	var exit *exec.ExitError
	if err := sb.Cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("%v", err)
	}
}
