package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

func Socket(domain, kind, protocol int) program.Syscall {
	return program.Sys(unix.SYS_SOCKET, num(domain), num(kind), num(protocol))
}

func Connect(fd program.Arg, address []byte) program.Syscall {
	return program.Sys(unix.SYS_CONNECT, fd, program.Bytes(address), num(len(address)))
}

// Send is sendto(2) without an address.
func Send(fd program.Arg, b []byte, flags int) program.Syscall {
	return program.Sys(unix.SYS_SENDTO, fd, program.Bytes(b), num(len(b)), num(flags), num(0), num(0))
}

// Recv is recvfrom(2) without an address.
func Recv(fd program.Arg, buf program.Addr, size, flags int) program.Syscall {
	return program.Sys(unix.SYS_RECVFROM, fd, program.Ref(buf), num(size), num(flags), num(0), num(0))
}

func Sendmsg(fd, message program.Arg, flags int) program.Syscall {
	return program.Sys(unix.SYS_SENDMSG, fd, message, num(flags))
}

// Getsockopt stores an option of size bytes at value.
func Getsockopt(fd program.Arg, level, option int, value program.Addr, size byte) program.Syscall {
	return program.Sys(unix.SYS_GETSOCKOPT, fd, num(level), num(option), program.Ref(value), program.Bytes([]byte{size, 0, 0, 0}))
}

// Getpeername stores an address of at most size bytes.
func Getpeername(fd program.Arg, address program.Addr, size byte) program.Syscall {
	return program.Sys(unix.SYS_GETPEERNAME, fd, program.Ref(address), program.Bytes([]byte{size, 0, 0, 0}))
}
