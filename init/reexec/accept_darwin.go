package reexec

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/limitsonly"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// accept reads the order of a Go host from its pipe. The other end of the host's socket must be the parent, of the same
// user: a set-user-ID host would otherwise start any program for any user.
func accept(args []string) (o *order.Order, host int, watch limitsonly.Watch, err error) {
	if len(args) != 1 || args[0] != ByHost {
		return nil, -1, nil, errArguments
	}
	if err = peerIsParent(hostFD); err != nil {
		return nil, -1, nil, err
	}
	var st unix.Stat_t
	if bad := unix.Fstat(orderFD, &st); bad != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
		return nil, -1, nil, errors.New("order: no pipe")
	}
	b, err := platform.ReadDocument(orderFD, maxOrder, orderTimeout)
	if err != nil {
		return nil, -1, nil, err
	}
	unix.CloseOnExec(hostFD)
	o, err = order.Decode(b)
	return o, hostFD, watchHost, err
}

// watchHost waits for the end of the host's socket.
func watchHost(gone, _ func()) {
	b := make([]byte, 1)
	for {
		n, err := unix.Read(hostFD, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			gone()
			return
		}
	}
}

// unprivileged is an error if this program runs with its file's rights and not its caller's; issetugid(2).
func unprivileged() error {
	if unix.Issetugid() || unix.Getuid() != unix.Geteuid() || unix.Getgid() != unix.Getegid() {
		return errors.New("the program runs with its file's rights and not its caller's " +
			"(set-user-ID or set-group-ID): take them off the file")
	}
	return nil
}

// peerIsParent reports whether a socket's other end is this process's parent, of the same user; unix(4), LOCAL_PEERPID.
func peerIsParent(fd int) error {
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return os.NewSyscallError("getsockopt LOCAL_PEERPID", err)
	}
	// LOCAL_PEERCRED knows nothing of socketpair(2).
	parent, err := unix.SysctlKinfoProc("kern.proc.pid", unix.Getppid())
	if err != nil {
		return os.NewSyscallError("sysctl kern.proc.pid", err)
	}
	if pid != unix.Getppid() || int(parent.Eproc.Pcred.P_ruid) != unix.Getuid() {
		return errors.New("socket: its other end is not the parent process of the same user")
	}
	return nil
}
