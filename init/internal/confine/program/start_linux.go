package program

import (
	"os"
	"strconv"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Open makes the memory of a program: a descriptor for the runner, sealed against any change of its size (a truncate
// would end the shim with SIGBUS), and the same memory mapped here.
func Open() (fd int, mem []byte, err error) {
	if fd, err = platform.Memfd("program", false); err != nil {
		return -1, nil, err
	}
	if err = unix.Ftruncate(fd, Size); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW)
	}
	if err == nil {
		mem, err = unix.Mmap(fd, 0, Size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		unix.Close(fd)
		return -1, nil, os.NewSyscallError("memfd", err)
	}
	return fd, mem, nil
}

// MaxFiles is how many descriptors Start can hand to a runner.
const MaxFiles = 599

// Start starts a runner with files as its descriptors from 0 on: number 3 is the program, and -1 leaves a
// number closed. The runner has no environment. Every signal is blocked in the runner and its clones until
// the program provides for signals. The calling thread must be locked: a runner that asks for
// PR_SET_PDEATHSIG dies with the thread. A group that is not negative is the control group of the runner.
func Start(files []int, group int) (pid int, err error) {
	exe, err := Executable()
	if err != nil {
		return 0, err
	}
	var all, old unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err = unix.PthreadSigmask(unix.SIG_SETMASK, &all, &old); err != nil {
		unix.Close(exe)
		return 0, os.NewSyscallError("rt_sigprocmask", err)
	}
	pid, err = start(exe, files, group)
	if e := unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil); err == nil && e != nil {
		err = os.NewSyscallError("rt_sigprocmask", e)
	}
	return pid, err
}

// start starts the executable exe, and closes exe.
func start(exe int, files []int, group int) (pid int, err error) {
	if len(files) > MaxFiles {
		unix.Close(exe)
		return 0, &os.PathError{Op: "start", Path: "runner", Err: unix.EMFILE}
	}
	if exe, err = lift(exe, above(files)); err != nil {
		return 0, err
	}
	defer unix.Close(exe)
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = uintptr(f)
	}
	pid, err = syscall.ForkExec("/proc/self/fd/"+strconv.Itoa(exe), []string{"mcp-sandbox: init"},
		&syscall.ProcAttr{Files: fds, Sys: &syscall.SysProcAttr{UseCgroupFD: group >= 0, CgroupFD: group}})
	if err != nil {
		return 0, &os.PathError{Op: "start", Path: "runner", Err: err}
	}
	return pid, nil
}

// above is the lowest number at which the executable's descriptor survives the start. ForkExec moves the
// child's descriptors before it opens the file: to 0 to len(files)-1, and before that to up to len(files)
// numbers, and one for its own pipe, above every one of files.
func above(files []int) int {
	top := len(files)
	for _, f := range files {
		top = max(top, f)
	}
	return top + len(files) + 3
}

// lift moves a descriptor to least or above.
func lift(fd, least int) (int, error) {
	high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, least)
	unix.Close(fd)
	if err == unix.EINVAL { // fcntl(2): the number is at or above the soft limit
		err = unix.EMFILE
	}
	if err != nil {
		return -1, os.NewSyscallError("fcntl F_DUPFD_CLOEXEC", err)
	}
	return high, nil
}
