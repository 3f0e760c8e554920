package listener_test

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// listen gives this thread a filter, and returns its listener.
func listen(code []unix.SockFilter) (fd int, err error) {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, err
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	n, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER,
		uintptr(unsafe.Pointer(&program)))
	if e != 0 {
		return -1, e
	}
	return int(n), nil
}
