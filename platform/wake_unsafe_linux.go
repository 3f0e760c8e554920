package platform

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// WakeAt has the kernel continue this process at a moment, should it be stopped then: by a timer that sends SIGCONT;
// timer_create(2), sigevent(3type). Cancel takes that back.
func WakeAt(at time.Time) (cancel func(), err error) {
	event := struct {
		value          uint64
		signal, notify int32
		_              [48]byte
	}{signal: int32(unix.SIGCONT)} // notify 0 is SIGEV_SIGNAL
	var id int32
	_, _, e := unix.RawSyscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&id)))
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
