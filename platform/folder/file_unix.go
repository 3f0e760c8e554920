//go:build darwin || linux

package folder

import (
	"os"

	"golang.org/x/sys/unix"
)

const openFile = unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// OpenFile opens a regular file for reading; of all else the error is EINVAL. A pipe without a writer is not waited
// for.
func OpenFile(at int, name string, st *unix.Stat_t) (int, error) {
	fd, err := unix.Openat(at, name, unix.O_RDONLY|openFile, 0)
	if err == unix.ELOOP || err == unix.ENXIO {
		err = unix.EINVAL
	}
	if err != nil {
		return -1, err
	}
	if err = unix.Fstat(fd, st); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		err = unix.EINVAL
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// Read reads a regular file that is no longer than most. A longer one is cut off.
func Read(at int, name string, most int) ([]byte, error) {
	var st unix.Stat_t
	fd, err := OpenFile(at, name, &st)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
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

// Create makes a file that is not there yet, and that no other user can read, for writing.
func Create(at int, name string) (int, error) {
	return unix.Openat(at, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|openFile, 0o600)
}

// Make makes a file that is not there yet, with its text.
func Make(at int, name string, mode uint32, b []byte) error {
	fd, err := Create(at, name)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err = Write(fd, b); err == nil {
		err = unix.Fchmod(fd, mode)
	}
	return err
}

// Write writes all of a text.
func Write(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(fd, b)
		if err != nil && err != unix.EINTR {
			return err
		}
		b = b[max(n, 0):]
	}
	return nil
}

// Replace puts a file in place of what is at a name, by rename: there is always the old one or the new one. A writer
// that is killed leaves ".NAME", which the next writer takes over.
func Replace(at int, name string, b []byte) error {
	draft := "." + name
	fd, err := lockDraft(at, draft)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err = unix.Ftruncate(fd, 0); err == nil {
		err = Write(fd, b)
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

// lockDraft makes or takes over a draft, and waits for its writer. That renames it in the end.
func lockDraft(at int, draft string) (int, error) {
	for {
		fd, err := unix.Openat(at, draft, unix.O_WRONLY|unix.O_CREAT|openFile, 0o600)
		if err == unix.EACCES && unix.Unlinkat(at, draft, 0) == nil { // a umask had taken the right to write
			continue
		}
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: draft, Err: err}
		}
		unix.Fchmod(fd, 0o600)
		if err = Lock(fd, unix.LOCK_EX); err == nil && Same(fd, at, draft) {
			return fd, nil
		}
		unix.Close(fd)
		if err != nil {
			return -1, err
		}
	}
}
