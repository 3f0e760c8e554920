package program

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

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
		return unlinked(elf, os.TempDir(), "/var/tmp", "/dev/shm")
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
	return fd, nil
}

// unlinked is the executable as a file that never had a name, for machines that forbid executable memfds. It lies in
// the first of dirs that can have one; the error is that of the first.
func unlinked(elf []byte, dirs ...string) (int, error) {
	var first error
	for _, dir := range dirs {
		fd, err := unlinkedIn(dir, elf)
		if err == nil {
			return fd, nil
		}
		if first == nil {
			first = err
		}
	}
	return -1, first
}

func unlinkedIn(dir string, elf []byte) (int, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return -1, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	if fs.Flags&unix.ST_NOEXEC != 0 {
		return -1, &os.PathError{Op: "statfs noexec", Path: dir, Err: unix.EACCES}
	}
	// A file that is open for writing cannot be executed (ETXTBSY), and a process that another goroutine forks now
	// would hold it open until its exec.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC, 0o500)
	if err != nil {
		return -1, &os.PathError{Op: "open O_TMPFILE", Path: dir, Err: err}
	}
	defer unix.Close(fd)
	if err = writeAll(fd, elf); err != nil {
		return -1, &os.PathError{Op: "write", Path: dir, Err: err}
	}
	if err = unix.Fchmod(fd, 0o500); err != nil { // whatever the umask took
		return -1, &os.PathError{Op: "fchmod", Path: dir, Err: err}
	}
	ro, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "reopen", Path: dir, Err: err}
	}
	return ro, nil
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
