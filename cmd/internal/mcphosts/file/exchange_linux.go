package file

import "golang.org/x/sys/unix"

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

// written reports whether another program has the file open for writing: then the kernel gives no lease; fcntl(2). Of a
// file system without leases nobody knows.
func (o *object) written() bool {
	_, err := unix.FcntlInt(o.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		unix.FcntlInt(o.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return err == unix.EAGAIN
}
