//go:build darwin || linux

package tree

import "golang.org/x/sys/unix"

// Usage is how many bytes a folder takes that programs write to, with all below, and how many names it has: of a file
// with holes its length. A file that comes or goes meanwhile may count or not. The error of more names than most, and
// of folders that are too deep, is a *[Refused].
func Usage(path string, most int) (bytes int64, names int, err error) {
	fd, err := openFolder(unix.AT_FDCWD, path)
	if err != nil {
		return 0, 0, err
	}
	defer unix.Close(fd)
	w := newWalker(most, func(_ int, _, _ string, st *unix.Stat_t) error {
		names++
		if st.Mode&unix.S_IFMT == unix.S_IFREG {
			bytes += max(st.Size, st.Blocks*512)
		} else {
			bytes += st.Blocks * 512
		}
		return nil
	})
	w.moves = true
	err = w.walk(fd, "", 0)
	return bytes, names, err
}

// Free returns the free room on the file system of a folder: bytes, and inodes where these are limited.
func Free(path string) (bytes, inodes int64) {
	var st unix.Statfs_t
	if unix.Statfs(path, &st) != nil {
		return 0, 0
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Ffree)
}
