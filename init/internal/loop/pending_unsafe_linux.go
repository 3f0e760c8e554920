package loop

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// takePending takes one of the signals away that are pending for the calling thread, if one is; sigtimedwait(2).
func takePending(set *unix.Sigset_t) {
	var now unix.Timespec
	unix.RawSyscall6(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(set)), 0, uintptr(unsafe.Pointer(&now)), 8, 0, 0)
}
