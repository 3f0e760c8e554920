package supervise

import (
	"errors"
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// errUnbound is a socket that can be made to lead elsewhere.
var errUnbound = errors.New("a socket that is not one end of a connected pair: in the host's network a server could send to any address by it; " +
	"give it a pipe or a socketpair")

// connected refuses sockets on standard input, output and error that lead to more than their other end: where no network
// namespace bounds them the filter, which sees socket(2), would not. A datagram socket sends to any address, a socket of
// the internet is connected anew by connect(2), and a listening one takes whoever comes.
func (s *shim) connected() error {
	for i, fd := range s.stdio.give {
		if err := leadsOn(fd, s.policy.Level == policy.LevelNetwork); err != nil {
			return &order.Refusal{Layer: order.Descriptors, Op: "use", Path: "descriptor " + strconv.Itoa(i), Err: err}
		}
	}
	return nil
}

func leadsOn(fd int, inet bool) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return nil
	}
	var got [3]int
	for i, option := range [...]int{unix.SO_DOMAIN, unix.SO_TYPE, unix.SO_ACCEPTCONN} {
		var err error
		if got[i], err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, option); err != nil {
			return os.NewSyscallError("getsockopt", err)
		}
	}
	_, err := unix.Getpeername(fd)
	switch domain, kind := got[0], got[1]; {
	case inet && (domain == unix.AF_INET || domain == unix.AF_INET6):
		return nil
	case domain != unix.AF_UNIX, kind != unix.SOCK_STREAM && kind != unix.SOCK_SEQPACKET, got[2] != 0, err != nil:
		return errUnbound
	}
	return nil
}
