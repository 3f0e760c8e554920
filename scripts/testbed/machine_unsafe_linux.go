package testbed

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A denial is what a filter answers to one system call; with a mask, only where its first argument, or that behind it,
// has a bit of it.
type denial struct {
	call  uint32
	mask  uint32
	arg   uint32 // 0 or 1
	errno syscall.Errno
	raw   bool // socket(2), of SOCK_RAW and another family than AF_NETLINK alone
}

func denials() map[Lack][]denial {
	all := func(errno syscall.Errno, calls ...uint32) (list []denial) {
		for _, c := range calls {
			list = append(list, denial{call: c, errno: errno})
		}
		return list
	}
	return map[Lack][]denial{
		NoClone: {{call: unix.SYS_CLONE, mask: unix.CLONE_NEWUSER, errno: unix.EPERM},
			{call: unix.SYS_UNSHARE, mask: unix.CLONE_NEWUSER, errno: unix.EPERM},
			{call: unix.SYS_CLONE3, errno: unix.ENOSYS}},
		NoMount: all(unix.EPERM, unix.SYS_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_MOVE_MOUNT,
			unix.SYS_MOUNT_SETATTR, unix.SYS_PIVOT_ROOT, unix.SYS_UMOUNT2),
		NoLandlock: all(unix.ENOSYS, unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE,
			unix.SYS_LANDLOCK_RESTRICT_SELF),
		NoSeccomp: all(unix.EINVAL, unix.SYS_SECCOMP),
		NoListener: {{call: unix.SYS_SECCOMP, arg: 1, mask: unix.SECCOMP_FILTER_FLAG_NEW_LISTENER,
			errno: unix.EBUSY}},
		NoRawSockets: {{call: unix.SYS_SOCKET, errno: unix.EPERM, raw: true}},
	}
}

// RefuseHere has the kernel refuse calls of the calling thread, for as long as that lives: the goroutine is locked to
// the thread and is never unlocked (runtime.LockOSThread). Other threads of the process go on.
func RefuseHere(errno syscall.Errno, calls ...uint32) error {
	var deny []denial
	for _, c := range calls {
		deny = append(deny, denial{call: c, errno: errno})
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil { // of the thread
		return os.NewSyscallError("prctl", err)
	}
	return os.NewSyscallError("seccomp", loadFilter(deny, 0))
}

// loadFilter loads a filter into this thread, or all threads, and what they execute; seccomp(2).
func loadFilter(deny []denial, flags uintptr) error {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		ret   = unix.BPF_RET | unix.BPF_K
		// Offsets in struct seccomp_data; of the arguments the low halves.
		number, firstArgument, secondArgument = 0, 16, 24
		typeMask                              = 15 // SOCK_TYPE_MASK
	)
	code := []unix.SockFilter{{Code: load, K: number}}
	for _, d := range deny {
		refuse := unix.SockFilter{Code: ret, K: 0x00050000 | uint32(d.errno)} // SECCOMP_RET_ERRNO
		if d.raw {
			code = append(code, unix.SockFilter{Code: equal, K: d.call, Jf: 7},
				unix.SockFilter{Code: load, K: firstArgument}, unix.SockFilter{Code: equal, K: unix.AF_NETLINK, Jt: 4},
				unix.SockFilter{Code: load, K: secondArgument},
				unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: typeMask},
				unix.SockFilter{Code: equal, K: unix.SOCK_RAW, Jf: 1}, refuse, unix.SockFilter{Code: load, K: number})
			continue
		}
		if d.mask == 0 {
			code = append(code, unix.SockFilter{Code: equal, K: d.call, Jf: 1}, refuse)
			continue
		}
		code = append(code, unix.SockFilter{Code: equal, K: d.call, Jf: 4},
			unix.SockFilter{Code: load, K: firstArgument + d.arg*(secondArgument-firstArgument)},
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: d.mask, Jf: 1}, refuse,
			unix.SockFilter{Code: load, K: number})
	}
	code = append(code, unix.SockFilter{Code: ret, K: 0x7fff0000}) // SECCOMP_RET_ALLOW
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	runtime.LockOSThread()
	// With CAP_SYS_ADMIN in the namespace no_new_privs is not asked for, and so what runs may still gain rights.
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if e != 0 {
		return e
	}
	return nil
}
