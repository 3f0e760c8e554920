//go:build darwin || linux

package privdir

import (
	"io"
	"os"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A server can leave any number of names behind. Names not removed in time are left to the next
// launches, each of which removes a part.
const (
	atEnd    = 500 * time.Millisecond // at the end of a launch
	hurry    = 50 * time.Millisecond  // of that, once a signal asks for the end
	others   = 100 * time.Millisecond // at the beginning of a launch, for what others left
	noHurry  = time.Minute            // when the launcher is gone, and no caller waits
	interval = 32                     // names that are removed between two looks at the clock

	mostStuck = 1000 // folders that cannot be emptied and are remembered
)

// AtEnd is over when a launcher should wait no longer for its folder to be removed: asked, which may be nil,
// reports whether a signal has asked for the end meanwhile.
func AtEnd(asked func() bool) (over func() bool) { return budget(atEnd, asked) }

// NoHurry is over when a process without a waiting caller should stop.
func NoHurry() (over func() bool) { return budget(noHurry, nil) }

// budget is over when this process has used so much processor time, or when ten times as much time has passed,
// as on a busy machine; or soon after asked, which may be nil, was true.
func budget(most time.Duration, asked func() bool) (over func() bool) {
	until, used := time.Now().Add(10*most), platform.ProcessTime()+most
	calls, ended := 0, false
	return func() bool {
		if calls++; ended || calls%interval != 0 {
			return ended
		}
		if asked != nil && asked() {
			asked = nil
			if soon := time.Now().Add(hurry); soon.Before(until) {
				until = soon
			}
		}
		ended = time.Now().After(until) || platform.ProcessTime() > used
		return ended
	}
}

// Empty removes all that is in a folder, without following symbolic links and however deep: a folder in a folder is
// moved up before it is opened, so the number of open descriptors does not grow with the depth. Names that cannot be
// removed stay, and so do those that are left when over returns true.
//
// Names are removed while the folder is read, for reading all of them alone may take longer than there is time.
// A file system may skip some names then, so the folder is read again as long as something is removed. A folder that
// cannot be emptied, as another user's, holds up no other.
func Empty(top int, over func() bool) {
	prefix, err := newName() // which the server cannot have guessed
	if err != nil {
		return
	}
	stuck := map[string]bool{}
	for round := 0; ; round++ {
		folder, removed, ended := "", false, false
		EachName(top, func(name string) bool {
			if ended = over(); ended {
				return false
			}
			err := unlink(top, name)
			if err == unix.ENOTEMPTY && folder == "" && !stuck[name] {
				folder = name
			}
			removed = removed || err == nil
			return true
		})
		if ended {
			return
		}
		switch {
		case folder != "" && lift(top, folder, "."+prefix+"."+strconv.Itoa(round)+".", over):
		case folder != "" && len(stuck) < mostStuck:
			stuck[folder] = true
		case !removed:
			return
		}
	}
}

// unlink removes a name in a folder, also of an empty folder.
func unlink(dir int, name string) error {
	err := unix.Unlinkat(dir, name, 0)
	if err == unix.EISDIR || err == unix.EPERM { // Linux's error for the name of a folder, and POSIX's
		if as := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR); as != unix.ENOTDIR {
			return as
		}
	}
	return err
}

// lift empties one folder of top: its files are removed, its folders renamed into top, to names that begin with
// prefix. changed is true after any change.
func lift(top int, name, prefix string, over func() bool) (changed bool) {
	MakeSearchable(top, name)
	fd, err := openDir(top, name)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	i, ended := 0, false
	EachName(fd, func(sub string) bool {
		if ended = over(); ended {
			return false
		}
		err := unlink(fd, sub)
		if err == unix.ENOTEMPTY || err == unix.EACCES {
			MakeSearchable(fd, sub) // rename(2) changes its ".."
			err = unix.Renameat(fd, sub, top, prefix+strconv.Itoa(i))
			i++
		}
		changed = changed || err == nil
		return true
	})
	return !ended && (unix.Unlinkat(top, name, unix.AT_REMOVEDIR) == nil || changed)
}

// EachName calls do for each name in a folder, from the first one, until do returns false.
func EachName(fd int, do func(name string) (on bool)) {
	// A descriptor that was handed over may be of a folder that this process must not open itself.
	twin, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return
	}
	dir := os.NewFile(uintptr(twin), "")
	defer dir.Close()
	_, err = dir.Seek(0, io.SeekStart)
	for err == nil {
		var names []string
		names, err = dir.Readdirnames(interval)
		for _, name := range names {
			if !do(name) {
				return
			}
		}
	}
}
