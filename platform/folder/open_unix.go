//go:build darwin || linux

package folder

import (
	"strconv"

	"golang.org/x/sys/unix"
)

const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC

// Open opens a folder, and nothing that a link leads to.
func Open(at int, name string) (int, error) {
	fd, err := unix.Openat(at, name, flags, 0)
	if err == unix.ELOOP || err == unix.ENOTDIR {
		err = Unfit("it is no folder, or a symbolic link leads to it")
	}
	return fd, err
}

// OpenAny does the same where the folder's mode keeps its owner from reading: the owner gets every right.
func OpenAny(at int, name string) (int, error) {
	fd, err := Open(at, name)
	if err == unix.EACCES {
		MakeSearchable(at, name)
		fd, err = Open(at, name)
	}
	return fd, err
}

// Own opens a folder of this user's, which no other user may enter. Another mode becomes 0700.
func Own(at int, name string, create bool) (int, error) {
	var made error
	if create {
		if made = makeOwn(at, name); made == nil {
			unix.Fsync(at)
		}
	}
	var st unix.Stat_t
	fd, err := Open(at, name)
	if err == unix.EACCES && unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		int(st.Uid) == unix.Geteuid() {
		fd, err = OpenAny(at, name)
	}
	if err != nil {
		return -1, notMade(err, made)
	}
	if err = unix.Fstat(fd, &st); err == nil && int(st.Uid) != unix.Geteuid() {
		err = Unfit("user " + strconv.Itoa(int(st.Uid)) + " owns it")
	}
	if err == nil && st.Mode&0o777 != 0o700 {
		err = unix.Fchmod(fd, 0o700)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// makeOwn makes a folder that this user may enter, whatever the umask.
func makeOwn(at int, name string) error {
	err := unix.Mkdirat(at, name, 0o700)
	if err == nil {
		MakeSearchable(at, name)
	}
	return err
}

// notMade is the error of an open, or where a folder is missing why that could not be made.
func notMade(open, made error) error {
	if open != unix.ENOENT || made == nil {
		return open
	}
	return &Unmade{made}
}

// Same reports whether a descriptor is of what lies at a name.
func Same(fd, at int, name string) bool {
	var held, there unix.Stat_t
	return unix.Fstat(fd, &held) == nil && unix.Fstatat(at, name, &there, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		held.Ino == there.Ino && held.Dev == there.Dev
}

// Lock is flock(2), which a signal may interrupt.
func Lock(fd, how int) error {
	for {
		if err := unix.Flock(fd, how); err != unix.EINTR {
			return err
		}
	}
}
