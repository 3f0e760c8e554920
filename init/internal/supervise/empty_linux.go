package supervise

import (
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"golang.org/x/sys/unix"
)

// A server can leave any number of names behind. What is not removed in time is left to the next launches, each of which
// removes a part of it.
const (
	forEmpty   = 500 * time.Millisecond // at the end of a launch
	forHurry   = 50 * time.Millisecond  // of that, once a signal asks for the end
	forOthers  = 100 * time.Millisecond // at the beginning, for what others left
	forOrphans = time.Minute            // when the shim is gone, and nobody waits
)

// within is over when this thread has used so much of a processor, or ten times that has passed, as on a busy machine; or soon
// after a signal that asks for the end has come. asks may be -1.
func within(most time.Duration, asks int) (over func() bool) {
	until, used, calls := time.Now().Add(10*most), ownTime()+most, 0
	return func() bool {
		if calls++; calls%32 != 0 {
			return false
		}
		if asks >= 0 && signals.Next(asks) != 0 {
			asks = -1
			if hurry := time.Now().Add(forHurry); hurry.Before(until) {
				until = hurry
			}
		}
		return time.Now().After(until) || ownTime() > used
	}
}

// empty removes all that is in a folder, through no symbolic link and however deep: a folder in a folder is moved up
// before it is entered, so that two descriptors are enough. What cannot be removed stays, and what is left when it is over.
func empty(top int, over func() bool) {
	for n := 0; ; n++ {
		names := entries(top)
		folder := ""
		for _, name := range names {
			if over() {
				return
			}
			err := unix.Unlinkat(top, name, 0)
			if err == unix.EISDIR || err == unix.EPERM { // unlink(2): Linux's and POSIX's word for a folder
				err = unix.Unlinkat(top, name, unix.AT_REMOVEDIR)
				if err == unix.ENOTEMPTY && folder == "" {
					folder = name
				}
			}
		}
		if folder == "" || !lift(top, folder, n, over) {
			return
		}
	}
}

// lift empties one folder of top: its files go, its folders move up into top. It reports whether anything went.
func lift(top int, name string, n int, over func() bool) (moved bool) {
	unlock(top, name)
	fd, err := unix.Openat(top, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	for i, sub := range entries(fd) {
		if over() {
			return false
		}
		err := unix.Unlinkat(fd, sub, 0)
		if err == unix.EISDIR || err == unix.EPERM {
			if err = unix.Unlinkat(fd, sub, unix.AT_REMOVEDIR); err == unix.ENOTEMPTY || err == unix.EACCES {
				unlock(fd, sub) // or its ".." could not be changed
				err = unix.Renameat(fd, sub, top, "."+strconv.Itoa(n)+"."+strconv.Itoa(i))
			}
		}
		moved = moved || err == nil
	}
	return unix.Unlinkat(top, name, unix.AT_REMOVEDIR) == nil || moved
}

// unlock lets its owner into a folder again, and never what somebody put in its place as a link.
func unlock(dir int, name string) {
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), 0o700)
		unix.Close(fd)
	}
}

// entries lists a folder from its beginning.
func entries(fd int) []string {
	if _, err := unix.Seek(fd, 0, 0); err != nil {
		return nil
	}
	names, _ := listFD(fd)
	return names
}
