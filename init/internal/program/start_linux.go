package program

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open makes the memory of a program: a descriptor for the runner, sealed against any change of its size (a truncate
// would end the shim with SIGBUS), and the same memory mapped here.
func Open() (fd int, mem []byte, err error) {
	fd, err = unix.MemfdCreate("program", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_NOEXEC_SEAL)
	if err == unix.EINVAL { // before 6.3
		fd, err = unix.MemfdCreate("program", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return -1, nil, os.NewSyscallError("memfd_create", err)
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

// above is where the executable's descriptor lives while a runner is started: fork/exec places the child's
// descriptors before it opens the file, so it has to be above all of them.
const above = 600

// MaxFiles is how many descriptors Start can hand to a runner.
const MaxFiles = above - 1

// Start starts a runner. It gets files as its descriptors from 0 on; number 3 is the program. Every signal that the
// calling thread blocks stays blocked in it, and the thread must be locked: what it starts dies with it if it asked to.
func Start(files []int, env []string) (pid int, err error) {
	exe, err := executable()
	if err != nil {
		return 0, err
	}
	defer unix.Close(exe)
	fds := make([]uintptr, len(files))
	for i, f := range files {
		fds[i] = uintptr(f)
	}
	pid, err = syscall.ForkExec("/proc/self/fd/"+strconv.Itoa(exe), []string{"mcp-sandbox: init"},
		&syscall.ProcAttr{Env: env, Files: fds})
	if err != nil {
		return 0, &os.PathError{Op: "start", Path: "runner", Err: err}
	}
	return pid, nil
}

// executable is a descriptor of the runner's executable.
func executable() (int, error) {
	elf, err := ELF()
	if err != nil {
		return -1, err
	}
	fd, err := unix.MemfdCreate("mcp-sandbox-init", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if err == unix.EINVAL { // before 6.3
		fd, err = unix.MemfdCreate("mcp-sandbox-init", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err == unix.EACCES { // vm.memfd_noexec=2
		return unlinked(elf)
	}
	if err != nil {
		return -1, os.NewSyscallError("memfd_create", err)
	}
	if err = writeAll(fd, elf); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE)
	}
	if err != nil {
		unix.Close(fd)
		return -1, os.NewSyscallError("memfd", err)
	}
	return lift(fd)
}

// lift moves a descriptor above those that the runner is given.
func lift(fd int) (int, error) {
	high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, above)
	unix.Close(fd)
	if err != nil {
		return -1, os.NewSyscallError("fcntl F_DUPFD_CLOEXEC", err)
	}
	return high, nil
}

// unlinked is the executable as a file that has no name any more, for machines that forbid executable memfds.
func unlinked(elf []byte) (int, error) {
	dir := os.TempDir()
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o500)
	if err != nil {
		return -1, &os.PathError{Op: "open O_TMPFILE", Path: dir, Err: err}
	}
	if err = writeAll(fd, elf); err != nil {
		unix.Close(fd)
		return -1, &os.PathError{Op: "write", Path: dir, Err: err}
	}
	// A file that is open for writing cannot be executed (ETXTBSY).
	ro, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	unix.Close(fd)
	if err != nil {
		return -1, &os.PathError{Op: "reopen", Path: dir, Err: err}
	}
	return lift(ro)
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
