//go:build darwin || linux

package folder

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// A remover goes down by descriptors and removes names while a folder is read. What lies below shallow folders is moved
// up to top, as long as the file system lets it: an overlay does not, for folders of its lower layer. Below deepest
// folders nothing is removed then.
type remover struct {
	top    int
	prefix string // of what was moved up: it cannot be guessed
	moved  int
	over   func() bool
	ended  bool
}

const shallow, deepest = 16, 64

// Empty removes all that is in a folder, without following symbolic links and however deep, with a bounded number of
// descriptors. Names that cannot be removed stay, and so do those that are left when over returns true; a folder that
// cannot be emptied, as another user's, holds up no other.
func Empty(top int, over func() bool) {
	random, err := Random()
	if err != nil {
		return
	}
	r := remover{top: top, prefix: "." + random + ".", over: over}
	r.empty(top, 0)
}

// empty removes all in a folder. A file system may skip names of a folder that changes while it is read, so it is read
// again as long as that removes something.
func (r *remover) empty(fd, depth int) {
	for changed := true; changed && !r.ended; {
		changed = false
		Each(fd, func(name string) bool {
			if r.ended = r.ended || r.over(); r.ended {
				return false
			}
			changed = r.remove(fd, name, depth) || changed
			return true
		})
	}
}

// remove removes a name, or moves it up. changed is false where the name stays.
func (r *remover) remove(at int, name string, depth int) (changed bool) {
	err := Unlink(at, name)
	if err == nil || err != unix.ENOTEMPTY && err != unix.EACCES {
		return err == nil
	}
	fd, err := OpenAny(at, name)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	unix.Fchmod(fd, 0o700) // rename(2) changes its ".."
	if depth >= shallow {
		r.moved++
		if unix.Renameat(at, name, r.top, r.prefix+strconv.Itoa(r.moved)) == nil {
			return true
		}
	}
	if depth < deepest {
		r.empty(fd, depth+1)
	}
	return Unlink(at, name) == nil
}

// Remove removes what is at a name in a folder, with all that is in it. The error is of the first name that stays.
func Remove(at int, name string) error {
	err := Unlink(at, name)
	if err == nil || err == unix.ENOENT {
		return nil
	}
	fd, err := OpenAny(at, name)
	if err != nil {
		return &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	unix.Fchmod(fd, 0o700) // where that fails the removal does
	Empty(fd, func() bool { return false })
	if err = Unlink(at, name); err == nil {
		return nil
	}
	Each(fd, func(in string) bool {
		if why := Unlink(fd, in); why != nil {
			name, err = in, why
		}
		return false
	})
	return &os.PathError{Op: "remove", Path: name, Err: err}
}

// Unlink removes a name in a folder, also of an empty folder.
func Unlink(dir int, name string) error {
	err := unix.Unlinkat(dir, name, 0)
	if err == unix.EISDIR || err == unix.EPERM { // Linux's error for the name of a folder, and POSIX's
		if as := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR); as != unix.ENOTDIR {
			return as
		}
	}
	return err
}

// Each calls do for each name in a folder, from the first one, until do returns false.
func Each(fd int, do func(name string) (on bool)) {
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
		names, err = dir.Readdirnames(32)
		for _, name := range names {
			if !do(name) {
				return
			}
		}
	}
}
