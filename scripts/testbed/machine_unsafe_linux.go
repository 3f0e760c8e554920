package testbed

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A denial is what a filter answers to one system call; with a mask, only where its first argument has a bit of it.
type denial struct {
	call  uint32
	mask  uint32
	errno syscall.Errno
}

func denials(l Lack) []denial {
	var d []denial
	all := func(errno syscall.Errno, calls ...uint32) {
		for _, c := range calls {
			d = append(d, denial{call: c, errno: errno})
		}
	}
	switch l {
	case NoClone:
		for _, call := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
			d = append(d, denial{call, unix.CLONE_NEWUSER, unix.EPERM})
		}
		all(unix.ENOSYS, unix.SYS_CLONE3)
	case NoMount:
		all(unix.EPERM, unix.SYS_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_MOVE_MOUNT,
			unix.SYS_MOUNT_SETATTR, unix.SYS_PIVOT_ROOT, unix.SYS_UMOUNT2)
	case NoLandlock:
		all(unix.ENOSYS, unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF)
	case NoSeccomp:
		all(unix.EINVAL, unix.SYS_SECCOMP)
	}
	return d
}

// loadFilter loads a filter into this process and what it executes; seccomp(2).
func loadFilter(deny []denial) error {
	code := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}} // the number
	for _, d := range deny {
		ret := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0x00050000 | uint32(d.errno)} // SECCOMP_RET_ERRNO
		if d.mask == 0 {
			code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: d.call, Jf: 1}, ret)
			continue
		}
		code = append(code, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: d.call, Jf: 4},
			unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16}, // its first argument's low half
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: d.mask, Jf: 1}, ret,
			unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0})
	}
	code = append(code, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000}) // SECCOMP_RET_ALLOW
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	runtime.LockOSThread()
	// With CAP_SYS_ADMIN in the namespace no_new_privs is not asked for, and so what runs may still gain rights.
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&prog)))
	if e != 0 {
		return e
	}
	return nil
}
