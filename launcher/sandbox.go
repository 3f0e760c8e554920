package launcher

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A Report is the first line of a sandbox's report: what holds, before the server runs.
type Report = order.Enforced

// A Result is the last line: how the server ended.
type Result = order.Exited

// A Sandbox is one server that [Command] prepared. Its methods may be called from several goroutines.
type Sandbox struct {
	// Cmd starts the server. Start it once, in any way that exec.Cmd knows.
	Cmd *exec.Cmd

	inbox *inbox
}

func newSandbox(cmd *exec.Cmd, socket io.ReadCloser, files []*os.File) *Sandbox {
	in := newInbox(socket, files)
	// A host may keep the Cmd alone, or nothing: its server runs on all the same, so the socket stays until that ends. Of
	// a Cmd that was never started nothing is left.
	runtime.AddCleanup(cmd, (*inbox).listen, in)
	return &Sandbox{cmd, in}
}

// errNotStarted is what Report and Wait say of a Cmd that nobody started.
var errNotStarted = errors.New("launcher: sb.Cmd has not been started")

// Report waits until the server is released and returns what was proved. The error of a refused launch is an *[Error].
func (s *Sandbox) Report(ctx context.Context) (*Report, error) {
	if err := s.until(ctx, s.inbox.begun); err != nil {
		return nil, err
	}
	return s.inbox.report, s.inbox.refused(s.inbox.report == nil)
}

// Wait waits until the server has ended, with everything it started, and returns how. It does not reap the shim: that
// is Cmd.Wait's. The error of a refused launch is an *[Error].
func (s *Sandbox) Wait(ctx context.Context) (*Result, error) {
	if err := s.until(ctx, s.inbox.over); err != nil {
		return nil, err
	}
	return s.inbox.result, s.inbox.refused(s.inbox.result == nil)
}

// until waits for one of the inbox's two moments. One that has come is told even if ctx has ended since.
func (s *Sandbox) until(ctx context.Context, moment <-chan struct{}) error {
	if s.Cmd.Process == nil {
		return errNotStarted
	}
	s.inbox.listen()
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

// Close gives back what a sandbox holds. A server that was started ends: its host is gone.
func (s *Sandbox) Close() error { return s.inbox.close() }
