package platform

import (
	"encoding/binary"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// BoundSockets asks the kernel for the UNIX domain sockets of this network namespace that have a name in a file system,
// of any owner; sock_diag(7). No right is needed. A filter or a kernel without sock_diag is an error.
//
// An answer of one datagram is made in one go and has every socket that was there all the time. In a longer one the
// kernel finds where to go on by counting the sockets in a row of its table, and no mark (NLM_F_DUMP_INTR) says that
// the row has changed since: unix_diag_dump in its net/unix/diag.c. After a removal another socket is passed over.
// So BoundSockets asks again until no socket is new.
func BoundSockets() ([]BoundSocket, error) {
	var found []BoundSocket
	seen := map[BoundSocket]bool{}
	for i := range askAgain {
		all, whole, err := boundSockets()
		if err != nil || whole {
			return append(found, all...), err // a socket may be told twice
		}
		before := len(found)
		for _, s := range all {
			if !seen[s] {
				found, seen[s] = append(found, s), true
			}
		}
		if i > 0 && len(found) == before {
			break
		}
	}
	return found, nil
}

// askAgain is how often at most. To be passed over in each of them a socket would have to be unlucky as often.
const askAgain = 8

// diagFilled is less than the first datagram of a dump has room for beside one more socket: a page without the
// kernel's own part. The datagrams behind it have more.
const diagFilled = 3 << 10

// boundSockets asks once. The answer is whole if the first datagram had room for more.
func boundSockets() (all []BoundSocket, whole bool, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, false, os.NewSyscallError("socket NETLINK_SOCK_DIAG", err)
	}
	defer unix.Close(fd)
	// The kernel answers at once; nothing else that takes the question for one of its own may hold a launch up.
	if err = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 2}); err != nil {
		return nil, false, os.NewSyscallError("setsockopt SO_RCVTIMEO", err)
	}
	const showName, showVFS, byFamily = 1, 2, 20 // UDIAG_SHOW_NAME, UDIAG_SHOW_VFS, SOCK_DIAG_BY_FAMILY
	question := make([]byte, 16+24)              // struct nlmsghdr, struct unix_diag_req
	order := binary.NativeEndian
	order.PutUint32(question, uint32(len(question)))
	order.PutUint16(question[4:], byFamily)
	order.PutUint16(question[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	question[16] = unix.AF_UNIX
	order.PutUint32(question[20:], 1<<32-1) // sockets in every state
	order.PutUint32(question[28:], showName|showVFS)
	if err = unix.Sendto(fd, question, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, false, os.NewSyscallError("sendto sock_diag", err)
	}
	whole = true
	answer := make([]byte, 32<<10) // no datagram of a dump is longer; netlink_dump in the kernel's af_netlink.c
	for {
		n, _, flags, _, err := unix.Recvmsg(fd, answer, nil, 0)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, false, os.NewSyscallError("recvmsg sock_diag", err)
		case flags&unix.MSG_TRUNC != 0 || n == 0:
			return nil, false, os.NewSyscallError("recvmsg sock_diag", unix.EMSGSIZE)
		}
		whole = whole && n < diagFilled
		var done bool
		all, done, err = ParseBoundSockets(answer[:n], all)
		var e DiagError
		switch {
		case errors.As(err, &e) && e != 0:
			return nil, false, os.NewSyscallError("sock_diag", unix.Errno(e))
		case err != nil || done:
			return all, whole, err
		}
	}
}
