package seccomp

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// load gives the calling thread a filter, as the runner does: no_new_privs, seccomp(2), PR_GET_SECCOMP.
func load(program []Instruction) error {
	raw := Append(nil, program)
	fprog := unix.SockFprog{Len: uint16(len(program)), Filter: (*unix.SockFilter)(unsafe.Pointer(&raw[0]))}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(raw)
	if errno != 0 {
		return os.NewSyscallError("seccomp", errno)
	}
	return nil
}

// path is a pointer for a raw call; what it points to must outlive the call (runtime.KeepAlive).
func path(s string) uintptr {
	p, err := syscall.BytePtrFromString(s)
	if err != nil {
		panic(err)
	}
	kept = append(kept, p)
	return uintptr(unsafe.Pointer(p))
}

// block is n zeroed bytes for a raw call.
func block(n int) uintptr {
	b := make([]byte, n)
	kept = append(kept, &b[0])
	return uintptr(unsafe.Pointer(&b[0]))
}

// kept holds what raw calls point to until the process ends; Go's heap does not move.
var kept []*byte
