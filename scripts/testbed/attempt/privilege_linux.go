package attempt

import (
	"errors"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// noProgram is executed after the clone or unshare, so that its ENOENT says that those went through and nothing runs.
const noProgram = "/proc/self/fd/-1/no such program"

// userNamespace asks the kernel for a user namespace for a child: by clone, or by unshare in a child that has one
// thread, for in a program with several, as every Go one is, unshare(2) is EINVAL whatever the policy.
func userNamespace(args []string) (Result, error) {
	name := append(args, "clone")[0]
	attr, known := map[string]*syscall.SysProcAttr{
		"clone":   {Cloneflags: unix.CLONE_NEWUSER},
		"unshare": {Unshareflags: unix.CLONE_NEWUSER},
	}[name]
	if !known {
		return Result{}, UsageError("userns: " + name + " is neither clone nor unshare")
	}
	_, err := syscall.ForkExec(noProgram, []string{noProgram}, &syscall.ProcAttr{Sys: attr})
	if errors.Is(err, unix.ENOENT) {
		return said("a child was in a new user namespace")
	}
	return Result{}, os.NewSyscallError(name, err)
}

// mayMount changes nothing: mount(2) looks at the caller's rights first (EPERM) and then for the type (ENODEV).
func mayMount(_ []string) (Result, error) {
	err := unix.Mount("none", "/", "no-such-file-system", 0, "")
	if errors.Is(err, unix.ENODEV) {
		return said("the right to mount is there")
	}
	return Result{}, os.NewSyscallError("mount", err)
}

func mountTmpfs(args []string) (Result, error) {
	return Result{}, os.NewSyscallError("mount", unix.Mount("none", args[0], "tmpfs", 0, ""))
}

func setuid(n []int) (Result, error) {
	// The call itself on one thread, and that thread never goes back to the runtime: syscall.Setuid changes every
	// thread and panics where the kernel's answer differs between them.
	answer := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread()
		_, _, errno := unix.RawSyscall(unix.SYS_SETUID, uintptr(n[0]), 0, 0)
		answer <- errno
	}()
	if errno := <-answer; errno != 0 {
		return Result{}, os.NewSyscallError("setuid", errno)
	}
	return Result{}, nil
}

func sessionKeyring(_ []string) (Result, error) {
	id, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
	if err != nil {
		return Result{}, os.NewSyscallError("keyctl", err)
	}
	return said("%d", id)
}

// ptrace seizes: unlike attach that does not stop the target.
func ptrace(n []int) (Result, error) {
	runtime.LockOSThread() // the tracer is the thread
	return Result{}, os.NewSyscallError("ptrace", unix.PtraceSeize(n[0]))
}
