package transport_test

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// ioctl hands over a request with all its 64 bits, and one byte to type.
func ioctl(fd int, req uintptr) error {
	b := []byte{'x'}
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), req, uintptr(unsafe.Pointer(&b[0]))); e != 0 {
		return e
	}
	return nil
}
