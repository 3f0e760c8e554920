//go:build darwin || linux

package reports

import (
	"errors"
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

const own = "reports"

// Prepare makes the folder where there is none, and reports whether there is one. A launch calls it before the server's
// view is planned: a folder that comes later is not hidden.
func Prepare() bool {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return false
	}
	var st unix.Stat_t
	if unix.Stat(p.Reports(), &st) == nil {
		return st.Mode&unix.S_IFMT == unix.S_IFDIR && int(st.Uid) == unix.Geteuid()
	}
	fd, _, err := state.OpenOwn(own, true)
	if err != nil {
		return false
	}
	unix.Close(fd)
	return true
}

// Create makes the report of a launch with its first line, and removes those that are too many. The folder must be
// there. The descriptor closes on execve, and holds a lock.
func Create(id string, now time.Time, first []byte) (fd int, err error) {
	if len(first) > MaxBytes {
		return -1, errLong
	}
	root, _, err := state.OpenOwn(own, false)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	name := nameOf(id, now)
	const flags = unix.O_WRONLY | unix.O_APPEND | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	if fd, err = unix.Openat(root, name, flags, 0o600); err != nil {
		return -1, err
	}
	unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) // without a lock the report only ages sooner
	if err = Append(fd, first); err != nil {
		unix.Unlinkat(root, name, 0)
		unix.Close(fd)
		return -1, err
	}
	trim(root, Kept-1, name)
	return fd, nil
}

// Append adds a line to a report, whole or, where the disk is full, not at all: a next line would hang on the half.
func Append(fd int, line []byte) error {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	for err == nil && len(line) > 0 {
		n := 0
		if n, err = unix.Write(fd, line); err == unix.EINTR {
			err = nil
		}
		line = line[max(n, 0):]
	}
	if len(line) > 0 {
		unix.Ftruncate(fd, st.Size)
	}
	return err
}

// Close ends a report, and removes those that are too many. Of launches that end at once the last to give back its lock
// finds no other's.
func Close(fd int) {
	unix.Close(fd)
	if root, _, err := state.OpenOwn(own, false); err == nil {
		trim(root, Kept, "")
		unix.Close(root)
	}
}

// Newest is the path of the report that was written to last.
func Newest() (string, error) {
	root, at, err := state.OpenOwn(own, false)
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return "", err
	}
	if err != nil {
		return "", ErrNone
	}
	defer unix.Close(root)
	name, err := newest(list(root))
	return at + "/" + name, err
}

// list are the reports in the folder, the newest first: this user's own files.
func list(root int) (all []entry) {
	left := mostNames
	folder.Each(root, func(name string) bool {
		var st unix.Stat_t
		if isName(name) && unix.Fstatat(root, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil &&
			st.Mode&unix.S_IFMT == unix.S_IFREG && int(st.Uid) == unix.Geteuid() {
			all = append(all, entry{name, time.Unix(st.Mtim.Unix()), st.Size == 0})
		}
		left--
		return left > 0
	})
	newestFirst(all, time.Now())
	return all
}

// trim removes the reports that are too many besides own, which may have no lock: another launch that looked at it in
// that very moment had a shared one.
func trim(root, stay int, own string) {
	running := func(name string) bool {
		if name == own {
			return true
		}
		fd, err := unix.Openat(root, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			return false
		}
		defer unix.Close(fd)
		return unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB) == unix.EWOULDBLOCK
	}
	for _, name := range outdated(list(root), stay, running) {
		unix.Unlinkat(root, name, 0)
	}
}
