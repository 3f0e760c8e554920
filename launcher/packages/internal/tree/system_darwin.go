package tree

import "golang.org/x/sys/unix"

// makeSearchable gives its owner every right to a folder, and never to what a link in its place leads to.
func makeSearchable(at int, name string) { unix.Fchmodat(at, name, 0o700, unix.AT_SYMLINK_NOFOLLOW) }

// makeReadable lets its owner read a file.
func makeReadable(at int, name string) { unix.Fchmodat(at, name, 0o600, unix.AT_SYMLINK_NOFOLLOW) }

// Flush asks for everything to be written to the disk; there is no syncfs(2).
func Flush(folder int) error {
	if err := unix.Sync(); err != nil {
		return err
	}
	return unix.Fsync(folder)
}
