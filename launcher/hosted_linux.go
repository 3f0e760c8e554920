package launcher

import (
	"context"
	"os"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"golang.org/x/sys/unix"
)

// hosted is a launch in this process, or the socket of the shim that its process has become.
type hosted struct {
	*reexec.Hosted

	follows bool // Next does, the shim's process
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

// Next is called from one goroutine.
func (c *hosted) Next() []byte {
	if line := c.Hosted.Next(); line != nil {
		return line
	}
	file, process := c.Socket()
	if file == nil {
		return nil
	}
	s := socket{file}
	if process >= 0 && !c.follows {
		s.follow(process)
	}
	c.follows = true
	return s.Next()
}

func (c *hosted) HangUp(process *os.Process) {
	c.Hosted.HangUp()
	file, _ := c.Socket()
	socket{file}.HangUp(process) // without a shim the process is woken, to tell of init's end
}

func (c *hosted) Ask(process *os.Process) error { return socket{}.Ask(process) }

// Follow has nothing to do: the launch has a pidfd.
func (c *hosted) Follow(int) {}
