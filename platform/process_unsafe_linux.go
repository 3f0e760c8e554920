package platform

// This file: getauxval(3), prctl(2) and timers of this process, where x/sys has no call.

import (
	"errors"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const atExecfn = 31 // getauxval(3)

// Executed is the path that this process's program was executed by, from the kernel; the caller of execve
// chooses argument 0.
func Executed() (string, error) {
	auxv, err := unix.Auxv()
	if err != nil {
		return "", err
	}
	for _, v := range auxv {
		if v[0] == atExecfn && v[1] != 0 {
			return unix.BytePtrToString(*(**byte)(unsafe.Pointer(&v[1]))), nil
		}
	}
	return "", errors.New("the kernel does not say what was executed")
}

// SetChildSubreaper makes this process the parent of every descendant that loses its own;
// pr_set_child_subreaper(2const).
func SetChildSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl PR_SET_CHILD_SUBREAPER", err)
	}
	if !IsChildSubreaper() {
		return os.NewSyscallError("prctl PR_GET_CHILD_SUBREAPER", unix.EPERM)
	}
	return nil
}

// IsChildSubreaper reports whether this process is a subreaper. execve keeps the attribute, and no child inherits it.
func IsChildSubreaper() bool {
	var is int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&is)), 0, 0, 0)
	return err == nil && is == 1
}

// WakeAt has the kernel continue this process at a moment, should it be stopped then: by a timer that sends SIGCONT;
// timer_create(2), sigevent(3type). Cancel takes that back.
func WakeAt(at time.Time) (cancel func(), err error) {
	event := struct {
		value          uint64
		signal, notify int32
		_              [48]byte
	}{signal: int32(unix.SIGCONT)} // notify 0 is SIGEV_SIGNAL
	var id int32
	_, _, e := unix.RawSyscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&event)),
		uintptr(unsafe.Pointer(&id)))
	if e != 0 {
		return nil, os.NewSyscallError("timer_create", e)
	}
	cancel = func() { unix.RawSyscall(unix.SYS_TIMER_DELETE, uintptr(id), 0, 0) }
	left := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(1, time.Until(at))))} // 0 would be never
	_, _, e = unix.RawSyscall6(unix.SYS_TIMER_SETTIME, uintptr(id), 0, uintptr(unsafe.Pointer(&left)), 0, 0, 0)
	if e != 0 {
		cancel()
		return nil, os.NewSyscallError("timer_settime", e)
	}
	return cancel, nil
}
