package launcher

import (
	"cmp"
	"context"
	"os"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// command seals the order and makes the Cmd that starts this binary again, with the order and one end of a socket.
func command(ctx context.Context, o *order.Order, p *policy.Policy, shim string) (*Sandbox, error) {
	if r := reexec.Sockets(); r != nil {
		return nil, refused(r)
	}
	if h, err := reexec.Host(o, p, shim); h != nil || err != nil {
		return hostedBy(ctx, o, h, err)
	}
	fd, err := platform.Sealed("order", o.Encode())
	if err != nil {
		return nil, &Error{Layer: order.Exec, Op: "order", Err: err}
	}
	sealed := os.NewFile(uintptr(fd), "order")
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		sealed.Close()
		return nil, &Error{Layer: order.Exec, Op: "socketpair", Err: err, Hint: diagnose.NeedsSockets}
	}
	own, theirs := os.NewFile(uintptr(pair[0]), "shim"), os.NewFile(uintptr(pair[1]), "host")
	sb := newSandbox(ctx, cmp.Or(shim, "/proc/self/exe"), o, socket{own}, sealed, theirs)
	sb.Cmd.Env = reexec.ChildEnv()
	sb.Cmd.ExtraFiles = []*os.File{sealed, theirs}
	// The kernel wakes a stopped shim at the host's end. The shim asks for that itself later.
	sb.Cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGCONT}
	return sb, nil
}
