package supervise

import (
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/platform"
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
	until, used, calls, ended := time.Now().Add(10*most), ownTime()+most, 0, false
	return func() bool {
		if calls++; ended || calls%32 != 0 {
			return ended
		}
		if asks >= 0 && signals.Next(asks) != 0 {
			asks = -1
			if hurry := time.Now().Add(forHurry); hurry.Before(until) {
				until = hurry
			}
		}
		ended = time.Now().After(until) || ownTime() > used
		return ended
	}
}

// empty removes all that is in a folder, through no symbolic link and however deep: a folder in a folder is moved up
// before it is entered, so that two descriptors are enough. What cannot be removed stays, and what is left when it is over.
//
// Names are removed while the folder is read: only to list all of them may take longer than there is time. A file system may
// skip some then, so the folder is read again as long as something goes.
func empty(top int, over func() bool) {
	for n := 0; ; n++ {
		folder, gone, ended := "", false, false
		each(top, func(name string) bool {
			if ended = over(); ended {
				return false
			}
			err := unix.Unlinkat(top, name, 0)
			if err == unix.EISDIR || err == unix.EPERM { // unlink(2): Linux's and POSIX's word for a folder
				err = unix.Unlinkat(top, name, unix.AT_REMOVEDIR)
				if err == unix.ENOTEMPTY && folder == "" {
					folder = name
				}
			}
			gone = gone || err == nil
			return true
		})
		if ended {
			return
		}
		if moved := folder != "" && lift(top, folder, n, over); !moved && !gone {
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
	i, ended := 0, false
	each(fd, func(sub string) bool {
		if ended = over(); ended {
			return false
		}
		err := unix.Unlinkat(fd, sub, 0)
		if err == unix.EISDIR || err == unix.EPERM {
			if err = unix.Unlinkat(fd, sub, unix.AT_REMOVEDIR); err == unix.ENOTEMPTY || err == unix.EACCES {
				unlock(fd, sub) // or its ".." could not be changed
				err = unix.Renameat(fd, sub, top, "."+strconv.Itoa(n)+"."+strconv.Itoa(i))
				i++
			}
		}
		moved = moved || err == nil
		return true
	})
	return !ended && (unix.Unlinkat(top, name, unix.AT_REMOVEDIR) == nil || moved)
}

// unlock lets its owner into a folder again, and never what somebody put in its place as a link.
func unlock(dir int, name string) {
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), 0o700)
		unix.Close(fd)
	}
}

// each does something with what is in a folder, from its beginning, until that says that it is enough.
func each(fd int, do func(name string) (on bool)) {
	if _, err := unix.Seek(fd, 0, 0); err == nil {
		platform.EachEntry(fd, func(name string, _ byte) bool { return do(name) })
	}
}
