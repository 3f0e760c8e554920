package tree

import "golang.org/x/sys/unix"

// makeReadable lets its owner read a file.
func makeReadable(at int, name string) { unix.Fchmodat(at, name, 0o600, unix.AT_SYMLINK_NOFOLLOW) }

// Flush asks for everything to be written to the disk; there is no syncfs(2).
func Flush(folder int) error {
	if err := unix.Sync(); err != nil {
		return err
	}
	return unix.Fsync(folder)
}
