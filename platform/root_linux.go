package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// MachinesRoot reports whether user 0 of this user namespace is user 0 of the whole machine. The map does not tell: it
// names a number of the namespace around, which may be anybody. But this file is the machine's root's (fs/proc/proc_sysctl.c,
// GLOBAL_ROOT_UID), and stat(2) shows an owner by the number that it has here, or else by the overflow id.
func MachinesRoot() (bool, error) {
	const file = "/proc/sys/kernel/core_pattern"
	fd, err := unix.Open(file, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return true, &os.PathError{Op: "open", Path: file, Err: err}
	}
	defer unix.Close(fd)
	var fs unix.Statfs_t
	var st unix.Stat_t
	if err = unix.Fstatfs(fd, &fs); err == nil {
		err = unix.Fstat(fd, &st)
	}
	if err == nil && fs.Type != unix.PROC_SUPER_MAGIC {
		err = unix.ENXIO // something else was mounted there
	}
	if err != nil {
		return true, &os.PathError{Op: "stat", Path: file, Err: err}
	}
	return st.Uid == 0, nil
}
