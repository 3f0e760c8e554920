//go:build darwin || linux

package tree

import (
	"os"

	"golang.org/x/sys/unix"
)

const openFile = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC

// Seal makes all that Survey found this user's, read-only and readable for all, and enters the sums of the files. The
// folder itself keeps its mode. The error of stop, asked again and again, ends the work.
func Seal(folder int, found *Found, stop func() error) error {
	s := sealer{entries: found.Entries, me: os.Geteuid(), group: os.Getegid()}
	s.sums = summer{make([]byte, 256<<10), stop}
	w := newWalker(len(found.Entries), s.visit)
	err := rewind(folder)
	if err == nil {
		err = s.own(folder)
	}
	if err == nil {
		err = w.walk(folder, "", 0)
	}
	if err == nil && s.next != len(s.entries) {
		err = &Refused{s.entries[s.next].Path, "went away meanwhile"}
	}
	return err
}

type sealer struct {
	entries   []Entry
	next      int
	me, group int
	sums      summer
}

func (s *sealer) visit(at int, name, path string, st *unix.Stat_t) error {
	if s.next == len(s.entries) || s.entries[s.next].Path != path {
		return &Refused{path, "appeared meanwhile"}
	}
	e := &s.entries[s.next]
	s.next++
	var err error
	if e.Kind == Link {
		if int(st.Uid) != s.me || int(st.Gid) != s.group {
			err = unix.Fchownat(at, name, s.me, s.group, unix.AT_SYMLINK_NOFOLLOW)
		}
	} else {
		err = s.seal(at, name, e)
	}
	if err != nil {
		return &os.PathError{Op: "make read-only", Path: path, Err: err}
	}
	return nil
}

func (s *sealer) seal(at int, name string, e *Entry) error {
	flags := openFile
	if e.Kind == Folder {
		flags |= unix.O_DIRECTORY
	}
	fd, err := unix.Openat(at, name, flags, 0)
	if err == unix.EACCES {
		makeReadable(at, name)
		fd, err = unix.Openat(at, name, flags, 0)
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err != nil {
		return err
	}
	if e.Kind == File && (st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size != e.Size) {
		return unix.ESTALE
	}
	if err = s.own(fd); err == nil {
		err = unix.Fchmod(fd, e.Mode)
	}
	if err == nil && e.Kind == File {
		e.Sum, err = s.sums.of(fd, e.Size)
	}
	return err
}

// own gives this user a file or folder of another.
func (s *sealer) own(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || int(st.Uid) == s.me && int(st.Gid) == s.group {
		return err
	}
	return unix.Fchown(fd, s.me, s.group)
}
