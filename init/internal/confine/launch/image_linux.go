package launch

import (
	"errors"
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// openImage opens this binary for init to execute when the shim is gone. If the server's user can write the file,
// by any link, or may not execute the file, its content is copied to sealed memory.
func openImage(user int) (fd int, err error) {
	const self = "/proc/self/exe"
	if fd, err = unix.Open(self, unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
		return -1, refusedStart("open "+self, err)
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, refusedStart("stat "+self, err)
	}
	const anyone, others = 0o111, 0o001
	if int(st.Uid) != user && st.Mode&0o022 == 0 && st.Mode&others != 0 && st.Mode&anyone == anyone {
		return fd, nil
	}
	unix.Close(fd)
	if fd, err = copyImage(self); err != nil {
		return -1, refusedStart("copy "+self, err)
	}
	return fd, nil
}

// copyImage copies a program into sealed memory, or where such may not be executed, into a file without a name.
func copyImage(path string) (fd int, err error) {
	from, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(from)
	fd, err = platform.Memfd("mcp-sandbox", true)
	if errors.Is(err, unix.EACCES) {
		return unnamedImage(from)
	}
	if err != nil {
		return -1, err
	}
	if err = sendAll(fd, from); err == nil {
		err = platform.Seal(fd)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func unnamedImage(from int) (fd int, err error) {
	for _, dir := range privdir.Bases() {
		if fd, err = unix.Open(dir, unix.O_TMPFILE|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC, 0o555); err == nil {
			break
		}
		err = &os.PathError{Op: "open O_TMPFILE", Path: dir, Err: err}
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd) // a file open for writing cannot be executed
	if err = sendAll(fd, from); err == nil {
		err = unix.Fchmod(fd, 0o555)
	}
	if err != nil {
		return -1, err
	}
	return unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_PATH|unix.O_CLOEXEC, 0)
}

func sendAll(to, from int) error {
	for {
		n, err := unix.Sendfile(to, from, nil, 1<<30)
		if err == unix.EINTR {
			continue
		}
		if n == 0 || err != nil {
			return err
		}
	}
}
