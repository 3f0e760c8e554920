//go:build darwin || linux

package folder

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const mostStuck = 1000 // folders that cannot be emptied and are remembered

// Empty removes all that is in a folder, without following symbolic links and however deep: a folder in a folder is
// moved up before it is opened, so the number of open descriptors does not grow with the depth. Names that cannot be
// removed stay, and so do those that are left when over returns true.
//
// Names are removed while the folder is read, for reading all of them alone may take longer than there is time.
// A file system may skip some names then, so the folder is read again as long as something is removed. A folder that
// cannot be emptied, as another user's, holds up no other.
func Empty(top int, over func() bool) {
	prefix, err := Random() // which nobody can have guessed
	if err != nil {
		return
	}
	stuck := map[string]bool{}
	for round := 0; ; round++ {
		folder, removed, ended := "", false, false
		Each(top, func(name string) bool {
			if ended = over(); ended {
				return false
			}
			err := Unlink(top, name)
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

// lift empties one folder of top: its files are removed, its folders renamed into top, to names that begin with
// prefix. changed is true after any change.
func lift(top int, name, prefix string, over func() bool) (changed bool) {
	MakeSearchable(top, name)
	fd, err := Open(top, name)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	i, ended := 0, false
	Each(fd, func(sub string) bool {
		if ended = over(); ended {
			return false
		}
		err := Unlink(fd, sub)
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
