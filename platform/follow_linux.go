package platform

import "golang.org/x/sys/unix"

// isStraight reports whether no link is on the way of a path, as far as something is there, and what the kernel says of
// its end; openat2(2). Where it cannot be asked a path is not straight.
func isStraight(path string) (bool, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
	if err == nil {
		unix.Close(fd)
	}
	return err == nil || err == unix.ENOENT || err == unix.ENOTDIR, err
}
