package file

import (
	"time"

	"golang.org/x/sys/unix"
)

// patience is how long a program may have the file open for writing. A test has a longer one.
var patience = 2 * time.Second

func mtime(st *unix.Stat_t) unix.Timespec { return st.Mtim }

// exchange gives two files each other's names.
func exchange(from *folder, a string, to *folder, b string) error {
	err := unix.Renameat2(from.fd, a, to.fd, b, unix.RENAME_EXCHANGE)
	if err == unix.EINVAL || err == unix.ENOSYS || err == unix.ENOTSUP {
		return errExchange
	}
	if err == unix.EBUSY { // rename(2)
		return errMounted
	}
	return err
}

// openPlain opens a folder whose path leads through no symbolic link: none was put there since the path was found.
func openPlain(path string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err == unix.ENOSYS || err == unix.EPERM { // Linux 5.5, or a filter around a container
		return unix.Open(path, flags, 0)
	}
	return fd, err
}

// settled is the text that the file has while nobody has it open for writing, and until release or Close nobody can:
// such an open(2) waits. A file system without leases gives the text as it is.
func (o *object) settled() ([]byte, error) {
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		_, err := unix.FcntlInt(o.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
		text, readErr := o.text()
		if readErr != nil {
			return nil, readErr
		}
		if err == unix.EAGAIN && time.Now().After(deadline) {
			return text, errOpen
		}
		if err == unix.EAGAIN {
			continue
		}
		if err == nil {
			if now, err := unix.FcntlInt(o.Fd(), unix.F_GETLEASE, 0); err != nil || now != unix.F_RDLCK {
				o.release() // somebody waits to write
				continue
			}
			o.leased = true
		}
		return text, unix.Fstat(int(o.Fd()), &o.stat)
	}
}

// disturbed reports whether somebody waits to write to a settled file.
func (o *object) disturbed() bool {
	now, err := unix.FcntlInt(o.Fd(), unix.F_GETLEASE, 0)
	return o.leased && (err != nil || now != unix.F_RDLCK)
}

func (o *object) release() { _, _ = unix.FcntlInt(o.Fd(), unix.F_SETLEASE, unix.F_UNLCK) }
