package principal

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// peerOf is the user of the process that connected; unix(7), SO_PEERCRED.
func peerOf(c net.Conn) (uid int, err error) {
	u, ok := c.(syscall.Conn)
	if !ok {
		return -1, errors.ErrUnsupported
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return -1, err
	}
	var cred *unix.Ucred
	bad := raw.Control(func(fd uintptr) { cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if bad != nil || err != nil || cred.Pid == 0 { // a TCP socket answers with nothing
		return -1, errors.Join(bad, err, errors.ErrUnsupported)
	}
	return int(cred.Uid), nil
}
