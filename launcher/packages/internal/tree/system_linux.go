package tree

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// makeReadable lets its owner read a file.
func makeReadable(at int, name string) { chmod(at, name, 0, 0o600) }

// chmod works by a descriptor without rights, for which fchmod(2) is EBADF.
func chmod(at int, name string, flags int, mode uint32) {
	fd, err := unix.Openat(at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFLNK {
		unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), mode)
	}
}

// Flush writes everything of the folder's file system to the disk; syncfs(2) tells errors of writes since Linux 5.8.
func Flush(folder int) error { return unix.Syncfs(folder) }
