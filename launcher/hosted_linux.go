package launcher

import (
	"context"
	"os"
	"sync"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"golang.org/x/sys/unix"
)

// hosted is a launch in this process, or the socket of the shim that its process has become.
type hosted struct {
	*reexec.Hosted

	mu     sync.Mutex
	hungUp bool
	socket *socket
}

// hostedBy makes the Cmd of a launch in this process.
func hostedBy(ctx context.Context, o *order.Order, h *reexec.Hosted, err error) (*Sandbox, error) {
	if err != nil {
		return nil, &Error{Layer: order.Exec, Op: "prepare", Err: err}
	}
	sb := newSandbox(ctx, h.Path(), o, &hosted{Hosted: h}, h.Own...)
	sb.Cmd.Args = []string{order.RunnerName}
	sb.Cmd.Env = []string{}
	sb.Cmd.ExtraFiles = h.Files
	sb.Cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGCONT}
	return sb, nil
}

func (c *hosted) Next() []byte {
	s := c.shim(false)
	if s == nil {
		if line := c.Hosted.Next(); line != nil {
			return line
		}
		s = c.shim(true)
	}
	if s == nil {
		return nil
	}
	return s.Next()
}

// shim is the socket of the process's shim. It is looked for once the launch in this process is over.
func (c *hosted) shim(over bool) *socket {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.socket == nil && over {
		if file, process := c.Socket(); file != nil {
			c.socket = &socket{file}
			if c.hungUp {
				c.socket.shutdown(unix.SHUT_WR)
			}
			if process >= 0 {
				c.socket.follow(process)
			}
		}
	}
	return c.socket
}

func (c *hosted) HangUp(process *os.Process) {
	c.mu.Lock()
	s := c.socket
	c.hungUp = true
	c.mu.Unlock()
	c.Hosted.HangUp()
	if s == nil {
		s = &socket{} // the process is woken, to tell of init's end
	}
	s.HangUp(process)
}

func (c *hosted) Ask(process *os.Process) error { return socket{}.Ask(process) }

// Follow has nothing to do: the launch has a pidfd.
func (c *hosted) Follow(int) {}

func (c *hosted) Close() error {
	if s := c.shim(true); s != nil {
		return s.Close()
	}
	return c.Hosted.Close()
}
