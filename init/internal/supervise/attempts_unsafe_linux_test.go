package supervise_test

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// execveat is a call that package unix does not have.
func execveat(fd int, path string, flags uintptr) syscall.Errno {
	at, _ := syscall.BytePtrFromString(path)
	argv, _ := syscall.SlicePtrFromStrings([]string{"echo", second})
	_, _, e := syscall.RawSyscall6(unix.SYS_EXECVEAT, uintptr(fd), uintptr(unsafe.Pointer(at)), uintptr(unsafe.Pointer(&argv[0])), 0, flags, 0)
	return e
}

// sigqueue is rt_sigqueueinfo(2) with a message of nobody's.
func sigqueue(pid int, sig uintptr) syscall.Errno {
	info := [16]uint64{1: 0xffffffff} // SI_QUEUE
	_, _, e := syscall.RawSyscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), sig, uintptr(unsafe.Pointer(&info)))
	return e
}
