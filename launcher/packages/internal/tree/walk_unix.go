//go:build darwin || linux

package tree

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// A visit is called for each name, a folder's before those in that folder. at is the folder that holds the name.
type visit func(at int, name, path string, st *unix.Stat_t) error

// A walker goes through a folder by descriptors, one for each folder on the way down.
type walker struct {
	visit visit
	enter func(at int, name string) (int, error)
	left  int  // names that may still come
	moves bool // others write meanwhile: entries that are gone are passed over
	buf   []byte
}

func newWalker(most int, v visit) *walker {
	return &walker{visit: v, enter: openFolder, left: most, buf: make([]byte, 32<<10)}
}

// openFolder opens a folder, and nothing that a link leads to.
func openFolder(at int, name string) (int, error) {
	return unix.Openat(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// walk goes through the entries of a folder that was opened for this walk: it is read from the descriptor's position.
func (w *walker) walk(fd int, above string, depth int) error {
	names, err := w.names(fd, above)
	if w.moves && errors.Is(err, unix.ENOENT) { // removed since it was opened
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		path := name
		if above != "" {
			path = above + "/" + name
		}
		if err := w.one(fd, name, path, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) one(fd int, name, path string, depth int) error {
	var st unix.Stat_t
	if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		if w.moves && err == unix.ENOENT {
			return nil
		}
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if err := w.visit(fd, name, path, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return nil
	}
	if depth >= mostDepth {
		return &Refused{path, "is a folder in more than 128 others"}
	}
	sub, err := w.enter(fd, name)
	if w.moves && (err == unix.ENOENT || err == unix.ENOTDIR || err == unix.ELOOP) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(sub)
	return w.walk(sub, path, depth+1)
}

// names are the names in a folder, sorted.
func (w *walker) names(fd int, above string) (names []string, err error) {
	for {
		n, err := unix.ReadDirent(fd, w.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: above, Err: err}
		}
		if n <= 0 {
			break
		}
		before := len(names)
		_, _, names = unix.ParseDirent(w.buf[:n], -1, names)
		if w.left -= len(names) - before; w.left < 0 {
			return nil, &Refused{"", "there are too many files and folders"}
		}
	}
	slices.Sort(names)
	return names, nil
}

// rewind makes a folder be read from its first name.
func rewind(fd int) error {
	_, err := unix.Seek(fd, 0, 0)
	return err
}

// Names are the names in a folder, sorted.
func Names(fd int) ([]string, error) {
	if err := rewind(fd); err != nil {
		return nil, err
	}
	return newWalker(MostEntries, nil).names(fd, "")
}
