package launcher

import (
	"context"
	"os"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// command makes the Cmd that starts this binary again as the shim, with a pipe for the order and one end of a socket:
// there are no sealed memory files here, and no sockets of messages.
func command(ctx context.Context, o *order.Order, _ *policy.Policy, _ string) (*Sandbox, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, &Error{Layer: order.Exec, Op: "executable", Err: err}
	}
	theirOrder, send, err := os.Pipe()
	if err != nil {
		return nil, &Error{Layer: order.Exec, Op: "pipe", Err: err}
	}
	own, theirs, err := socketpair()
	if err != nil {
		theirOrder.Close()
		send.Close()
		return nil, &Error{Layer: order.Exec, Op: "socketpair", Err: err}
	}
	go func() { // the shim reads it; if there never is one, Close ends this
		send.Write(o.Encode())
		send.Close()
	}()
	sb := newSandbox(ctx, self, o, socket{own}, theirOrder, theirs)
	sb.Cmd.ExtraFiles = []*os.File{theirOrder, theirs}
	return sb, nil
}

// socketpair is close-on-exec, and the host's end does not block a thread.
func socketpair() (own, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // no other start of this host inherits the two
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	if err = unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		unix.Close(pair[1])
		return nil, nil, err
	}
	return os.NewFile(uintptr(pair[0]), "shim"), os.NewFile(uintptr(pair[1]), "host"), nil
}

// Follow has nothing to do: the end of the shim's end of the socket is its own.
func (s socket) Follow(int) {}
