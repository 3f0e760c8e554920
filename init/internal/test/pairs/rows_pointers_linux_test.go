package pairs_test

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

const nowhere = 8 // an address at which no memory is

// sockaddr is struct sockaddr_in in memory that the kernel is told of, with room behind.
func sockaddr(port int) (b []byte, at int) {
	b, where := pages(1)
	binary.NativeEndian.PutUint16(b, unix.AF_INET)
	binary.BigEndian.PutUint16(b[2:], uint16(port))
	copy(b[4:], []byte{127, 0, 0, 1})
	return b, int(where)
}

// with is a call whose first argument is a new socket.
func with(kind, number int, args ...int) func(*server) string {
	return func(s *server) string {
		return call(number, append([]int{s.closing(socket(kind))}, args...)...)
	}
}

// connects is a connect(2) with so many bytes of an address of a family.
func connects(number, family, size int) func(*server) string {
	return func(s *server) string {
		b, at := sockaddr(s.Echo)
		binary.NativeEndian.PutUint16(b, uint16(family))
		return call(number, s.tcp(), at, size)
	}
}

// badPointers are X7: addresses, lengths and descriptors of the calls that the launcher answers.
func badPointers() (all []attack) {
	const tcp, udp = unix.SOCK_STREAM, unix.SOCK_DGRAM
	for _, r := range []struct {
		name string
		act  func(*server) string
		want string
	}{
		{"connect to a bad address", with(tcp, unix.SYS_CONNECT, nowhere, 16), "EFAULT"},
		{"connect to -1", with(tcp, unix.SYS_CONNECT, -1, 16), "EFAULT"},
		{"connect with length -1", connects(unix.SYS_CONNECT, unix.AF_INET, -1), "EINVAL"},
		{"connect with length 0", connects(unix.SYS_CONNECT, unix.AF_INET, 0), "EINVAL"},
		{"connect with length 1", connects(unix.SYS_CONNECT, unix.AF_INET, 1), "EINVAL"},
		{"connect with length 15", connects(unix.SYS_CONNECT, unix.AF_INET, 15), "EINVAL"},
		{"connect with length 128", connects(unix.SYS_CONNECT, unix.AF_INET, 128), "ok"},
		{"connect with length 129", connects(unix.SYS_CONNECT, unix.AF_INET, 129), "EINVAL"},
		{"connect to AF_INET6", connects(unix.SYS_CONNECT, unix.AF_INET6, 28), "EAFNOSUPPORT"},
		{"connect to AF_UNIX", connects(unix.SYS_CONNECT, unix.AF_UNIX, 110), "EAFNOSUPPORT"},
		{"connect at the end of memory", endOfMemory, "EFAULT"},
		{"bind to a bad address", with(tcp, unix.SYS_BIND, nowhere, 16), "EFAULT"},
		{"bind with length -1", connects(unix.SYS_BIND, unix.AF_INET, -1), "EINVAL"},
		{"bind with length 2", connects(unix.SYS_BIND, unix.AF_INET, 2), "EINVAL"},
		{"getsockname to a bad address", names(unix.SYS_GETSOCKNAME, 16, true), "EFAULT 16"},
		{"getsockname with a bad length", with(tcp, unix.SYS_GETSOCKNAME, nowhere, nowhere), "EFAULT"},
		{"getsockname of length -1", names(unix.SYS_GETSOCKNAME, -1, false), "EINVAL -1"},
		{"getsockname of length 0", names(unix.SYS_GETSOCKNAME, 0, false), "ok 16"},
		{"getsockname of length 4", names(unix.SYS_GETSOCKNAME, 4, false), "ok 16 in 4"},
		{"getsockname of length 4096", names(unix.SYS_GETSOCKNAME, 4096, false), "ok 16 in 16"},
		{"getpeername to a bad address", names(unix.SYS_GETPEERNAME, 16, true), "EFAULT 16"},
		{"getpeername of length -1", names(unix.SYS_GETPEERNAME, -1, false), "EINVAL -1"},
		{"getpeername of length 0", names(unix.SYS_GETPEERNAME, 0, false), "ok 16"},
		{"getpeername of length 4", names(unix.SYS_GETPEERNAME, 4, false), "ok 16 in 4"},
		{"getpeername of none", with(tcp, unix.SYS_GETPEERNAME, nowhere, nowhere), "ENOTCONN"},
		{"getsockopt to a bad address", option(unix.SYS_GETSOCKOPT, nowhere, 4), "EFAULT"},
		{"getsockopt of length -1", option(unix.SYS_GETSOCKOPT, 0, -1), "EINVAL"},
		{"getsockopt of a bad length", with(tcp, unix.SYS_GETSOCKOPT, unix.SOL_SOCKET, unix.SO_ERROR, nowhere, nowhere),
			"EFAULT"},
		{"setsockopt from a bad address", option(unix.SYS_SETSOCKOPT, nowhere, 4), "EFAULT"},
		{"setsockopt of length -1", option(unix.SYS_SETSOCKOPT, 0, -1), "EINVAL"},
		{"getsockopt of no level", with(tcp, unix.SYS_GETSOCKOPT, 12345, 1, nowhere, nowhere), "ENOPROTOOPT|ENOTSUP"},
		{"setsockopt of no level", with(tcp, unix.SYS_SETSOCKOPT, 12345, 1, nowhere, 4), "ENOPROTOOPT"},
		{"sendto a bad address", with(udp, unix.SYS_SENDTO, nowhere, 0, 0, nowhere, 16), "EFAULT"},
		{"sendto from a bad address", sendsFrom(nowhere, 16), "EFAULT"},
		{"sendto of every byte there is", sendsFrom(nowhere, -1), "EMSGSIZE"},
		{"sendto of 5000 bytes with length -1", with(udp, unix.SYS_SENDTO, nowhere, 5000, 0, nowhere, -1), "EINVAL"},
		{"recvfrom into a bad address", with(udp, unix.SYS_RECVFROM, nowhere, 16, unix.MSG_DONTWAIT, nowhere, nowhere),
			"EAGAIN"},
		{"recvmsg into a bad address", with(udp, unix.SYS_RECVMSG, nowhere, unix.MSG_DONTWAIT), "EFAULT"},
	} {
		all = append(all, attack{name: r.name, act: r.act, want: r.want})
	}
	return append(all, noDescriptors()...)
}

// noDescriptors are the same calls about descriptors that are not there, or no sockets.
func noDescriptors() (all []attack) {
	for name, number := range map[string]int{"connect": unix.SYS_CONNECT, "bind": unix.SYS_BIND,
		"listen": unix.SYS_LISTEN, "getsockname": unix.SYS_GETSOCKNAME, "getpeername": unix.SYS_GETPEERNAME,
		"getsockopt": unix.SYS_GETSOCKOPT, "setsockopt": unix.SYS_SETSOCKOPT, "sendto": unix.SYS_SENDTO,
		"recvfrom": unix.SYS_RECVFROM, "recvmsg": unix.SYS_RECVMSG} {
		all = append(all, attack{name: name + " of no descriptor", want: "EBADF, ENOTSOCK", act: func(*server) string {
			b, at := sockaddr(0)
			binary.NativeEndian.PutUint32(b[64:], 16)
			third := at + 64
			switch number {
			case unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_RECVMSG:
				third = 16
			}
			var seen each
			for _, fd := range []int{-1, 1 << 20, 1<<31 - 1, 0} {
				seen.add(call(number, fd, at, third, 0, at, at+64))
			}
			return seen.String()
		}})
	}
	return all
}

// endOfMemory has an address whose second half is not mapped.
func endOfMemory(s *server) string {
	b, at := pages(2)
	if err := unix.Mprotect(b[4096:], unix.PROT_NONE); err != nil {
		return err.Error()
	}
	from, _ := sockaddr(s.Echo)
	copy(b[4096-8:4096], from)
	return call(unix.SYS_CONNECT, s.tcp(), at+4096-8, 16)
}

// names is getsockname(2) or getpeername(2) of a connected socket, for a length: the length that comes back, and the
// bytes that were written.
func names(number, size int, bad bool) func(*server) string {
	return func(s *server) string {
		fd := s.echo()
		b, at := pages(1)
		for i := range b {
			b[i] = 0xee
		}
		binary.NativeEndian.PutUint32(b[2048:], uint32(size))
		to := at
		if bad {
			to = nowhere
		}
		text := call(number, fd, int(to), int(at)+2048)
		text += fmt.Sprint(" ", int32(binary.NativeEndian.Uint32(b[2048:])))
		if n := len(b[:2048]) - trailing(b[:2048]); n > 0 {
			text += fmt.Sprint(" in ", n)
		}
		return text
	}
}

func trailing(b []byte) (n int) {
	for i := len(b) - 1; i >= 0 && b[i] == 0xee; i-- {
		n++
	}
	return n
}

// option is TCP_NODELAY at an address, or else in memory, of a length.
func option(number, at, size int) func(*server) string {
	return func(s *server) string {
		b, where := pages(1)
		binary.NativeEndian.PutUint32(b[64:], uint32(size))
		if at == 0 {
			at = int(where)
		}
		if number == unix.SYS_GETSOCKOPT {
			return call(number, s.tcp(), unix.SOL_TCP, unix.TCP_NODELAY, at, int(where)+64)
		}
		return call(number, s.tcp(), unix.SOL_TCP, unix.TCP_NODELAY, at, size)
	}
}

// sendsFrom is a datagram to a name server of bytes at an address.
func sendsFrom(at, size int) func(*server) string {
	return func(s *server) string {
		_, to := sockaddr(53)
		return call(unix.SYS_SENDTO, s.udp(), at, size, 0, to, 16)
	}
}
