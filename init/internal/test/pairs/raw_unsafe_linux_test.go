package pairs_test

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// pages are new memory at an address that the kernel is told: the Go runtime neither moves nor frees it.
func pages(n int) (b []byte, at int) {
	b, err := unix.Mmap(-1, 0, n*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	return b, int(uintptr(unsafe.Pointer(&b[0])))
}

// cloned runs one connect(2) in a child that clone(2) makes with these flags, and waits for the child's end, whose
// status is the errno. The child has this stack's copy, and runs no other Go code.
//
//go:norace
//go:nosplit
func cloned(flags, fd, at, size uintptr) (status uintptr, err syscall.Errno) {
	child, _, e := syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if e != 0 {
		return 0, e
	}
	if child == 0 {
		_, _, e := syscall.RawSyscall6(unix.SYS_CONNECT, fd, at, size, 0, 0, 0)
		for {
			syscall.RawSyscall6(unix.SYS_EXIT_GROUP, uintptr(e), 0, 0, 0, 0, 0)
		}
	}
	var word int32
	for {
		_, _, e = syscall.RawSyscall6(unix.SYS_WAIT4, child, uintptr(unsafe.Pointer(&word)), 0, 0, 0, 0)
		if e != syscall.EINTR {
			return uintptr(word) >> 8 & 0xff, e
		}
	}
}

// jump runs machine code.
func jump(at uintptr) {
	p := &at
	(*(*func())(unsafe.Pointer(&p)))()
}

// faults takes SIGSEGV from the Go runtime, which would end the program in a way of its own.
func faults() {
	const setSize = 8
	var none [4]uint64 // struct kernel_sigaction of SIG_DFL
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGSEGV), uintptr(unsafe.Pointer(&none)), 0, setSize, 0, 0)
}

// load gives this thread a filter that asks about one call.
func load(flags, number uintptr) string {
	code := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(number), Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	fd, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	if e == 0 && flags != 0 {
		unix.Close(int(fd))
	}
	return nameOf(e)
}

func addressOf(b []byte) int { return int(uintptr(unsafe.Pointer(&b[0]))) }
