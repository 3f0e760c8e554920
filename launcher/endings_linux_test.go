package launcher_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// rounds is how often a test that looks for moments tries: so often, or where stressEnv is set in proportion to that.
func rounds(t *testing.T, usual int) int {
	t.Helper()
	if s := os.Getenv(stressEnv); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			t.Fatalf("%s=%s: %v", stressEnv, s, err)
		}
		return max(usual, usual*n/200)
	}
	return usual
}

// ofExec demands the error of a launch that ended before the server was released.
func ofExec(t *testing.T, err error) {
	t.Helper()
	var e *launcher.Error
	if !errors.As(err, &e) || e.Layer != order.Exec || e.Err == nil || e.Error() == "" {
		t.Errorf("%T %v, want a *launcher.Error of layer exec", err, err)
	}
}

// takes is how long a launch takes until its report, a little more than that.
func takes(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	sb, in := started(t, t.Context())
	if _, err := sb.Report(within(t)); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	in.Close()
	sb.Cmd.Wait()
	return took * 3 / 2
}

// At whatever moment a launch is cancelled, it has an end that says so: the error of a launch that came to nothing, or a
// last record.
func TestCancelledAtAnyMoment(t *testing.T) {
	n, whole := rounds(t, 75), takes(t)
	counts := map[string]int{}
	for i := range n {
		ctx, cancel := context.WithCancel(t.Context())
		sb, in := started(t, ctx)
		testbed.Moment(i, n, whole)
		cancel()
		end, err := sb.Wait(within(t))
		switch {
		case err != nil:
			ofExec(t, err)
			_, reported := sb.Report(within(t))
			ofExec(t, reported)
			counts["before the release"]++
		case end.Cause == order.CauseCancelled && end.Event == "exited":
			counts["after it"]++
		default:
			t.Errorf("cancelled after %s of %s: %+v", whole*time.Duration(i)/time.Duration(n), whole, end)
		}
		in.Close()
		sb.Cmd.Wait()
		sb.Close()
	}
	t.Log(whole, counts)
}

// The same of a shim that is killed, which says nothing itself.
func TestKilledAtAnyMoment(t *testing.T) {
	n, whole := rounds(t, 40), takes(t)
	for i := range n {
		sb, in := started(t, t.Context())
		testbed.Moment(i, n, whole)
		sb.Cmd.Process.Kill()
		end, err := sb.Wait(within(t))
		report, reported := sb.Report(within(t))
		switch {
		case err != nil:
			ofExec(t, err)
			ofExec(t, reported)
		case report == nil || reported != nil || end.Cause != order.CauseSupervisorLost || end.ExitCode != 137 || end.Signal != "SIGKILL":
			t.Errorf("%+v, report %v, %v", end, report, reported)
		}
		in.Close()
		sb.Cmd.Wait()
		sb.Close()
	}
}

// Close at any moment of Start, from another goroutine: the server ends, or was never started, and what becomes of it is told.
func TestCloseWhileStartRuns(t *testing.T) {
	n := rounds(t, 40)
	before := quiet(t)
	for i := range n {
		sb := command(t, t.Context(), "sleep 1000")
		var both sync.WaitGroup
		var failed error
		both.Go(func() { failed = sb.Cmd.Start() })
		both.Go(func() {
			testbed.Moment(i, 10, time.Millisecond)
			sb.Close()
		})
		both.Wait()
		if failed != nil {
			if sb.Cmd.Process != nil {
				t.Errorf("%v, and there is a process", failed)
			}
			continue
		}
		end, err := sb.Wait(within(t))
		if err != nil {
			ofExec(t, err)
		} else if end.Cause != order.CauseHostGone {
			t.Errorf("%+v", end)
		}
		sb.Cmd.Wait()
	}
	settle(t, before)
}

// The methods of a Sandbox in any order, from any goroutine. The race detector looks on. The long form goes on for as long as it
// may, so that a busy machine has fewer rounds and no later end.
func TestAnyOrder(t *testing.T) {
	var probe sync.WaitGroup
	probe.Go(func() {
		if _, err := launcher.Probe(within(t)); err != nil {
			t.Error(err)
		}
	})
	defer probe.Wait()
	const short, mostTime = 30, 15 * time.Second
	began, n := time.Now(), 0
	defer func() { t.Log(n, "rounds") }()
	for ; n < short || !testing.Short() && time.Since(began) < mostTime; n++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(40))*time.Millisecond+time.Millisecond)
		sb, err := launcher.Command(t.Context(), policy.Policy{}, launcher.Target{Path: "/bin/sh", Args: []string{"-c", "exit 3"}, Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		acts := []func(){
			func() {
				if sb.Cmd.Start() == nil {
					sb.Cmd.Wait()
				}
			},
			func() { sb.Report(ctx) }, func() { sb.Wait(ctx) }, func() { sb.Report(ctx) }, func() { sb.Wait(ctx) },
			func() { sb.Close() }, func() { sb.Close() },
		}
		var all sync.WaitGroup
		for _, i := range rand.Perm(len(acts)) {
			pause := rand.IntN(12)
			all.Go(func() {
				testbed.Moment(pause, 1, time.Millisecond)
				acts[i]()
			})
		}
		all.Wait()
		cancel()
	}
}

// A Start that fails leaves nobody waiting.
func TestFailedStart(t *testing.T) {
	sb := command(t, t.Context(), "true")
	sb.Cmd.Dir = "/nothing/there"
	if sb.Cmd.Start() == nil {
		t.Fatal("started")
	}
	if _, err := sb.Report(within(t)); err == nil {
		t.Error("a report")
	}
	if _, err := sb.Wait(within(t)); err == nil {
		t.Error("an end")
	}
}
