package attempt

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// systemActions are single system calls, or as near to one as can be had from Go. mount, setuid, kill and syscall
// change what they are pointed at: the caller points them at its own things only.
func systemActions() map[string]action {
	return map[string]action{
		"processes":   {"[MARKER]: other processes in /proc, or one with MARKER in its command line", 0, 1, processes},
		"userns":      {"[clone|unshare]", 0, 1, userNamespace},
		"may-mount":   {": ask for no file system; ok if the right to mount was there", 0, 0, mayMount},
		"mount":       {"DIR: a tmpfs over DIR", 1, 1, mountTmpfs},
		"setuid":      {"UID", 1, 1, numeric(setuid)},
		"keyctl":      {": the session keyring's id, without making one", 0, 0, sessionKeyring},
		"ptrace":      {"PID: seize it; the kernel lets go at exit", 1, 1, numeric(ptrace)},
		"kill":        {"PID [SIGNAL]: signal 0 unless given", 1, 2, numeric(kill)},
		"socket":      {"FAMILY TYPE PROTOCOL, as numbers", 3, 3, numeric(socket)},
		"syscall":     {"NUMBER [ARG...]: any call with up to six numbers", 1, 7, rawCall},
		"descriptors": {": what is open of 0 to 1023, found without /proc", 0, 0, descriptors},
	}
}

// errnoName digs the kernel's answer out of err.
func errnoName(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return ""
	}
	if name := unix.ErrnoName(errno); name != "" {
		return name
	}
	return strconv.Itoa(int(errno))
}

// rawCall passes numbers only: an act that needs memory is an action of its own. A result below zero cannot be told
// from an errno, as in C.
func rawCall(args []string) (Result, error) {
	var call [7]uintptr
	for i, arg := range args {
		n, err := strconv.ParseUint(arg, 0, 64)
		if err != nil {
			return Result{}, UsageError(arg + " is not a number")
		}
		call[i] = uintptr(n)
	}
	got, _, errno := unix.Syscall6(call[0], call[1], call[2], call[3], call[4], call[5], call[6])
	if errno != 0 {
		return Result{}, os.NewSyscallError("syscall "+strings.Join(args, " "), errno)
	}
	return said("%d", got)
}

func socket(n []int) (Result, error) {
	fd, err := unix.Socket(n[0], n[1], n[2])
	if err != nil {
		return Result{}, os.NewSyscallError("socket", err)
	}
	return Result{}, os.NewSyscallError("close", unix.Close(fd))
}
