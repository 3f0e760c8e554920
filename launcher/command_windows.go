package launcher

import (
	"context"
	"errors"
	"os"
	"strconv"
	"sync"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/windows"
)

// command makes the Cmd that starts this binary again as the shim. exec.Cmd passes no files on Windows but the first
// three, so the shim inherits three handles by name: the order, the way up for records, and the way down, on which an
// end of file means the host's end.
func command(ctx context.Context, o *order.Order, _ *policy.Policy, _ string) (*Sandbox, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, &Error{Layer: order.Exec, Op: "executable", Err: err}
	}
	p, err := newPipes()
	if err != nil {
		return nil, &Error{Layer: order.Exec, Op: "pipe", Err: err}
	}
	go func() { // the shim reads it; if there never is one, Close ends this
		p.send.Write(o.Encode())
		p.send.Close()
	}()
	sb := newSandbox(ctx, self, o, p, p.theirs...)
	var inherited []syscall.Handle
	for _, f := range p.theirs {
		inherited = append(inherited, syscall.Handle(f.Fd()))
		sb.Cmd.Args = append(sb.Cmd.Args, strconv.FormatUint(uint64(f.Fd()), 10))
	}
	sb.Cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: inherited}
	return sb, nil
}

// pipes are between a host and its shim.
type pipes struct {
	up, down, send *os.File
	theirs         []*os.File // the shim's ends: order, up, down
	once           sync.Once
}

func newPipes() (*pipes, error) {
	p := &pipes{}
	order, send, err := os.Pipe()
	up, theirUp, err2 := os.Pipe()
	theirDown, down, err3 := os.Pipe()
	if err = errors.Join(err, err2, err3); err == nil {
		p.up, p.down, p.send, p.theirs = up, down, send, []*os.File{order, theirUp, theirDown}
		for _, f := range p.theirs {
			const inherit = windows.HANDLE_FLAG_INHERIT
			err = errors.Join(err, windows.SetHandleInformation(windows.Handle(f.Fd()), inherit, inherit))
		}
	}
	if err != nil {
		for _, f := range []*os.File{order, send, up, theirUp, theirDown, down} {
			f.Close() // os.ErrInvalid for a nil file
		}
		return nil, err
	}
	return p, nil
}

// Next reads the shim's records.
func (p *pipes) Next() []byte { return piece(p.up) }

// Begin has nothing to do: a shim begins by itself.
func (p *pipes) Begin(<-chan struct{}) {}

// HangUp closes the way down, which the shim takes for the host's end.
func (p *pipes) HangUp(*os.Process) { p.once.Do(func() { p.down.Close() }) }

// Follow has nothing to do: only the shim has its end of the pipe.
func (p *pipes) Follow(int) {}

// Close closes both ways.
func (p *pipes) Close() error {
	p.HangUp(nil)
	return p.up.Close()
}

// Ask writes a byte: Windows has no signal for that.
func (p *pipes) Ask(*os.Process) error {
	_, err := p.down.Write([]byte{0})
	return err
}
