package launcher

import (
	"context"
	"errors"
	"os/exec"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A Report is the first line of a sandbox's report: the state of each layer, before the server runs.
type Report = order.Enforced

// A Result is the last line: how the server ended, and in Denied the acts that it was refused, the most frequent first.
// Denied is empty where the shim was killed.
type Result = order.Exited

// A Denial is an act that the server was refused. Of [Result].Denied it has the number of all such refusals, of a call
// of [Target].OnDenied 1.
type Denial = order.DeniedCount

// A Lead is a path of a policy, and the path without links that it led to.
type Lead = order.Lead

// A PackageID says which package was installed, and where.
type PackageID = order.PackageID

// A Sandbox is one server that [Command] prepared. Its methods may be called from several goroutines.
type Sandbox struct {
	// Cmd starts the server. Start it once, in any way that exec.Cmd knows.
	Cmd *exec.Cmd

	shim *shim
}

// errNotStarted is the error of Report and Wait for a Cmd that was not started, or failed to start.
var errNotStarted = errors.New("launcher: sb.Cmd has not been started")

// errNoRecord is the error of Report where the shim is of another version.
var errNoRecord = errors.New("the record of the launch cannot be read: is the shim of another version?")

// Report waits until the server is released and returns the proved confinement. A launch that ended before has an
// *[Error], with layer [order.Exec] if it was cancelled, or its shim killed or asked to end by a signal. Each report
// is the caller's own: the sandbox keeps the line alone.
func (s *Sandbox) Report(ctx context.Context) (*Report, error) {
	if err := s.until(ctx, s.shim.records.begun); err != nil {
		return nil, err
	}
	if line := s.shim.records.first; line != nil {
		if report := decode[Report](line); report != nil {
			return report, nil
		}
		return nil, &Error{Layer: order.Exec, Op: "report", Err: errNoRecord}
	}
	return nil, s.shim.records.refusal
}

// Wait waits until the server has ended, with everything it started, and returns how. Cmd.Wait reaps the shim, Wait
// does not. If the shim is killed the server ends too, and the cause is [order.CauseSupervisorLost]. A launch that
// ended before the server was released has the error of [Sandbox.Report].
func (s *Sandbox) Wait(ctx context.Context) (*Result, error) {
	if err := s.until(ctx, s.shim.records.over); err != nil {
		return nil, err
	}
	if s.shim.records.result == nil {
		return nil, s.shim.records.refusal
	}
	return s.shim.records.result, nil
}

// until waits for a channel of the records to be closed. A closed one counts even if ctx has ended since.
func (s *Sandbox) until(ctx context.Context, moment <-chan struct{}) error {
	if err := s.shim.await(ctx, s.Cmd); err != nil {
		return err
	}
	select {
	case <-moment:
		return nil
	default:
	}
	select {
	case <-moment:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close releases a sandbox's descriptors, at any time and from any goroutine, also while Cmd.Start runs. Start then
// fails if it has not begun. A server that was started ends as after the end of its host, and Wait still tells how.
func (s *Sandbox) Close() error { return s.shim.close() }
