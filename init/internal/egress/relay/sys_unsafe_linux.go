package relay

// This file: calls that never wait, without telling Go's scheduler of them: that would cost as much as the call.

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// splice moves up to n bytes between a pipe and a socket; splice(2).
func splice(in, out, n int) (int, error) {
	got, _, e := unix.RawSyscall6(unix.SYS_SPLICE, uintptr(in), 0, uintptr(out), 0, uintptr(n),
		unix.SPLICE_F_MOVE|unix.SPLICE_F_NONBLOCK)
	return result(got, e)
}

// peek reads the next bytes and leaves them in the socket; recv(2).
func peek(fd int, b []byte) (int, error) {
	got, _, e := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_PEEK|unix.MSG_DONTWAIT, 0, 0)
	return result(got, e)
}

// discard takes up to len(b) bytes from a socket: TCP puts them nowhere, by MSG_TRUNC of tcp(7), and AF_UNIX into b.
func discard(fd int, b []byte) (int, error) {
	got, _, e := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_TRUNC|unix.MSG_DONTWAIT, 0, 0)
	return result(got, e)
}

// send writes as much as the socket takes; send(2).
func send(fd int, b []byte) (int, error) {
	got, _, e := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		uintptr(len(b)), unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, 0, 0)
	return result(got, e)
}

func result(got uintptr, e unix.Errno) (int, error) {
	if e != 0 {
		return 0, e
	}
	return int(got), nil
}
