//go:build darwin || linux

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

const openFile = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// readFile reads a file that is no longer than most. A longer one is cut off.
func readFile(at int, name string, most int) ([]byte, error) {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|openFile, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, unix.EINVAL
	}
	b := make([]byte, min(int(st.Size), most))
	for n := 0; n < len(b); {
		more, err := unix.Read(fd, b[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || more == 0 {
			return b[:n], err
		}
		n += more
	}
	return b, nil
}

func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err != nil && err != unix.EINTR {
			return err
		}
		b = b[max(n, 0):]
	}
	return nil
}

// makeFile makes a file that is not there yet.
func makeFile(at int, name string, mode uint32, b []byte) error {
	fd, err := unix.Openat(at, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|openFile, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err = writeAll(fd, b); err == nil {
		err = unix.Fchmod(fd, mode)
	}
	return err
}

// replaceFile puts a file in place of what is at a name, by rename: there is always the old one or the new one. A
// writer that is killed leaves ".NAME", which the next writer takes over.
func replaceFile(at int, name string, b []byte) error {
	draft := "." + name
	fd, err := lockFile(at, draft)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err = unix.Ftruncate(fd, 0); err == nil {
		err = writeAll(fd, b)
	}
	if err == nil {
		err = unix.Fsync(fd)
	}
	if err == nil {
		err = unix.Renameat(at, draft, at, name)
	}
	if err != nil {
		unix.Unlinkat(at, draft, 0)
		return err
	}
	return unix.Fsync(at)
}

// lockFile makes or takes over a draft, and waits for its writer. That renames it in the end.
func lockFile(at int, draft string) (int, error) {
	for {
		fd, err := unix.Openat(at, draft, unix.O_WRONLY|unix.O_CREAT|openFile, 0o600)
		if err == unix.EACCES && unix.Unlinkat(at, draft, 0) == nil { // a umask had taken the right to write
			continue
		}
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: draft, Err: err}
		}
		unix.Fchmod(fd, 0o600)
		if err = flock(fd, unix.LOCK_EX); err == nil && same(fd, at, draft) {
			return fd, nil
		}
		unix.Close(fd)
		if err != nil {
			return -1, err
		}
	}
}

// flock is flock(2), which a signal may interrupt.
func flock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); err != unix.EINTR {
			return err
		}
	}
}
