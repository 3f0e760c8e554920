package launcher

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

// A startContext is the context of sb.Cmd. Start calls its Done in the starting goroutine, before and after the
// fork. No other call shows the progress of a Start without a data race.
type startContext struct {
	context.Context
	cmd  *exec.Cmd
	shim *shim
}

// killAfter is the delay after the end of ctx until the started process is killed, or beyondGrace behind a longer grace
// of the policy: longer than the escalation of that process.
const (
	killAfter   = 7 * time.Second
	beyondGrace = 2 * time.Second
)

// newSandbox makes the Cmd that starts the program at path as the shim, with the shim's ends of the files, and the
// host's end of the channel.
func newSandbox(ctx context.Context, path string, o *order.Order, c channel, files ...*os.File) *Sandbox {
	s := &startContext{Context: ctx, shim: newShim(ctx, c, files)}
	s.cmd = exec.CommandContext(s, path)
	s.cmd.Args = []string{reexec.Name, reexec.ByHost}
	s.cmd.Dir = o.Dir
	// The end of the context asks the shim, which ends the whole tree.
	s.cmd.Cancel = func() error { return c.Ask(s.cmd.Process) }
	s.cmd.WaitDelay = killAfter
	// The server runs on even if the host keeps neither Sandbox nor Cmd. A Cmd without a Start leaves nothing
	// behind.
	runtime.AddCleanup(s.cmd, (*shim).forgotten, s.shim)
	return &Sandbox{s.cmd, s.shim}
}

// Done is that of the host's context; of a sandbox that was closed before Start it is closed.
func (s *startContext) Done() <-chan struct{} {
	if s.cmd.Process != nil {
		s.shim.started(s.cmd.Process)
	} else if s.Context.Err() == nil && !s.shim.beginStart() { // Start fails where the host's context has ended
		return over()
	}
	return s.Context.Done()
}

// Err is why Done is closed.
func (s *startContext) Err() error {
	if s.shim.isClosed() {
		return errClosed
	}
	return s.Context.Err()
}

// errClosed is the error of Start after Close.
var errClosed = errors.New("launcher: the sandbox was closed")

// over is a channel that is closed.
func over() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
