package shim_test

import (
	"syscall"
	"time"
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

// awake has the kernel send SIGCONT to this process again and again, which wakes it when it is stopped.
func awake(every time.Duration) {
	event := [8]uint64{1: uint64(unix.SIGCONT)} // struct sigevent: SIGEV_SIGNAL
	var id int32
	syscall.RawSyscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&id)))
	times := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(every)), Interval: unix.NsecToTimespec(int64(every))}
	syscall.RawSyscall6(unix.SYS_TIMER_SETTIME, uintptr(id), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
}
