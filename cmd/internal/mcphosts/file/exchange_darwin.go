package file

import "golang.org/x/sys/unix"

func mtime(st *unix.Stat_t) unix.Timespec { return st.Mtim }

// exchange gives two files each other's names.
func exchange(from *folder, a string, to *folder, b string) error {
	err := unix.RenameatxNp(from.fd, a, to.fd, b, unix.RENAME_SWAP)
	if err == unix.ENOTSUP || err == unix.EINVAL {
		return errExchange
	}
	return err
}

// openPlain opens a folder whose path leads through no symbolic link: none was put there since the path was found.
func openPlain(path string) (int, error) {
	return unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW_ANY|unix.O_CLOEXEC, 0)
}

// written is never true: macOS does not say which process has a file open for writing.
func (o *object) written() bool { return false }
