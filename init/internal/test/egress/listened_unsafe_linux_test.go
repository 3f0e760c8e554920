package egress_test

import (
	"os"
	"runtime"
	"unsafe"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// listened is argument 1 of this test binary as a program that executes its other arguments behind a filter with a
// listener: it allows every call, and there can be no second listener (seccomp(2), EBUSY).
const listened = "-egress-listened"

func listen(words []string) int {
	println(execListened(words).Error())
	return testbed.WrongRole
}

func execListened(words []string) error {
	runtime.LockOSThread() // the filter is this thread's, and execve keeps that
	code := []unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	fd, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER,
		uintptr(unsafe.Pointer(&program)))
	if e != 0 {
		return e
	}
	if _, err := unix.FcntlInt(fd, unix.F_SETFD, 0); err != nil { // open for as long as the launcher runs
		return err
	}
	return unix.Exec(words[0], words, os.Environ())
}
