package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"golang.org/x/sys/unix"
)

func Socket(domain, kind, protocol int) call {
	return sys(unix.SYS_SOCKET, num(domain), num(kind), num(protocol))
}

// Socketpair stores two descriptors of 32 bits.
func Socketpair(domain, kind, protocol int, at addr) call {
	return sys(unix.SYS_SOCKETPAIR, num(domain), num(kind), num(protocol), ref(at))
}

func Connect(fd arg, address []byte) call {
	return sys(unix.SYS_CONNECT, fd, program.Bytes(address), num(len(address)))
}

func Bind(fd arg, address []byte) call {
	return sys(unix.SYS_BIND, fd, program.Bytes(address), num(len(address)))
}
func Listen(fd arg, backlog int) call { return sys(unix.SYS_LISTEN, fd, num(backlog)) }

// Send is sendto(2) without an address.
func Send(fd arg, b []byte, flags int) call {
	return sys(unix.SYS_SENDTO, fd, program.Bytes(b), num(len(b)), num(flags), num(0), num(0))
}

// SendFrom is sendto(2) of n bytes that are stored at b, without an address.
func SendFrom(fd arg, b addr, n, flags int) call {
	return sys(unix.SYS_SENDTO, fd, ref(b), num(n), num(flags), num(0), num(0))
}

// Recv is recvfrom(2) without an address.
func Recv(fd arg, buf addr, size, flags int) call {
	return sys(unix.SYS_RECVFROM, fd, ref(buf), num(size), num(flags), num(0), num(0))
}

func Recvmsg(fd, message arg, flags int) call { return sys(unix.SYS_RECVMSG, fd, message, num(flags)) }
func Sendmsg(fd, message arg, flags int) call { return sys(unix.SYS_SENDMSG, fd, message, num(flags)) }

// Getsockopt stores an option of size bytes at value.
func Getsockopt(fd arg, level, option int, value addr, size byte) call {
	return sys(unix.SYS_GETSOCKOPT, fd, num(level), num(option), ref(value), program.Bytes([]byte{size, 0, 0, 0}))
}

// SetsockoptInt sets an option that is an int.
func SetsockoptInt(fd arg, level, option, value int) call {
	return sys(unix.SYS_SETSOCKOPT, fd, num(level), num(option), words(uint64(uint32(value))), num(4))
}

// SetSendTimeout limits how long connect(2) and sending calls may wait; socket(7), SO_SNDTIMEO.
func SetSendTimeout(fd arg, seconds uint64) call {
	return sys(unix.SYS_SETSOCKOPT, fd, num(unix.SOL_SOCKET), num(unix.SO_SNDTIMEO), words(seconds, 0), num(16))
}

// Getsockname stores an address of at most size bytes.
func Getsockname(fd arg, address addr, size byte) call {
	return sys(unix.SYS_GETSOCKNAME, fd, ref(address), program.Bytes([]byte{size, 0, 0, 0}))
}

// Getpeername stores an address of at most size bytes.
func Getpeername(fd arg, address addr, size byte) call {
	return sys(unix.SYS_GETPEERNAME, fd, ref(address), program.Bytes([]byte{size, 0, 0, 0}))
}
