package program

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Executable is a descriptor of the runner's executable.
func Executable() (int, error) {
	elf, err := ELF()
	if err != nil {
		return -1, err
	}
	fd, err := platform.Memfd("mcp-sandbox-init", true)
	if errors.Is(err, unix.EACCES) {
		return unlinked(elf, os.TempDir(), "/var/tmp", "/dev/shm")
	}
	if err != nil {
		return -1, err
	}
	if err = platform.WriteAll(fd, elf); err == nil {
		err = platform.Seal(fd)
	}
	if err != nil {
		unix.Close(fd)
		return -1, os.NewSyscallError("memfd", err)
	}
	return fd, nil
}

// unlinked is the executable as a file without a name, for machines that forbid executable memfds. The first
// of dirs that allows such a file gets it; the error is the first folder's.
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
	if err = platform.WriteAll(fd, elf); err != nil {
		return -1, &os.PathError{Op: "fill a file in", Path: dir, Err: err}
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
