package trialcalls

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// listener gives the calling thread a filter that allows everything, with a listener.
func listener() syscall.Errno {
	one := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: allow >> 32}}
	prog := unix.SockFprog{Len: 1, Filter: &one[0]}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, newListener, uintptr(unsafe.Pointer(&prog)))
	return e
}
