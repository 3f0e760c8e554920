package fsview

import (
	"errors"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// How far a write grant is searched.
const (
	searchDepth   = 3
	searchFolders = 10000
)

// worthThread is how many folders are worth a second thread.
const worthThread = 500

// unsearched is a folder that is never looked into, and counts as none: packages, by the ten thousand.
const unsearched = "node_modules"

// A search looks for the protected names in a folder and up to three folders below it, and through no link. It goes
// level by level, and within a level first where there are few folders: a folder with more of them than may still be
// looked into is told as a whole, and costs no other folder its turn.
type search struct {
	buf   []byte
	left  int                              // folders that may still be looked into
	until time.Time                        // when to stop, if it is not zero
	skip  func(path string) bool           // folders that need no search
	may   func(path string, e *entry) bool // whether the server may enter one; nil: if this process may
	found []finding
}

// A parent is a folder with the names of the folders in it, and what was found in those.
type parent struct {
	path  string
	names []string
	next  []parent
	found []finding
	err   error // why it has to be told as a whole
}

var errLate = errors.New("no time is left to search it")

// tree searches from root on. An error means that root itself cannot be looked into.
func (s *search) tree(root string) error {
	fd, err := openFolder(unix.AT_FDCWD, root)
	if err != nil {
		return &os.PathError{Op: "open", Path: root, Err: err}
	}
	at := opened{path: root, limit: s.left}
	err = at.list(fd, s.buf, s.until)
	unix.Close(fd)
	if err != nil {
		return err
	}
	s.found = append(s.found, at.found...)
	level := []parent{{path: root, names: at.names}}
	for depth := 1; depth <= searchDepth; depth++ {
		s.level(level, depth)
		var next []parent
		for i := range level {
			b := &level[i]
			s.found = append(s.found, b.found...)
			switch {
			case b.err == nil:
				next = append(next, b.next...)
			case b.path == root && !errors.Is(b.err, errBound):
				return b.err
			default:
				if err := s.whole(b.path, b.err); err != nil {
					return err
				}
			}
		}
		level = next
	}
	return nil
}

// level looks into the folders of all parents: those of small ones first, as far as the bound goes. Of many folders one
// half is another thread's, for this takes little but system calls.
func (s *search) level(level []parent, depth int) {
	slices.SortStableFunc(level, func(a, b parent) int { return len(a.names) - len(b.names) })
	total, fits := 0, 0
	for i := range level {
		b := &level[i]
		if len(b.names) > s.left {
			b.err = errBound
			continue
		}
		s.left -= len(b.names)
		total += len(b.names)
		fits++
	}
	level = level[:fits] // the small ones are the first
	if total < worthThread || s.may != nil {
		for i := range level {
			s.children(&level[i], depth, s.buf)
		}
		return
	}
	var next atomic.Int32
	work := func(buf []byte) {
		for i := next.Add(1) - 1; int(i) < len(level); i = next.Add(1) - 1 {
			s.children(&level[i], depth, buf)
		}
	}
	done := make(chan struct{})
	go func() {
		work(make([]byte, len(s.buf)))
		close(done)
	}()
	work(s.buf)
	<-done
}

// errBound is that of a folder in which more folders lie than may still be looked into.
var errBound = errors.New("it has too many folders to search them all")

// children looks into the folders of one folder. An error means that the folder has to be told as a whole.
func (s *search) children(b *parent, depth int, buf []byte) {
	if len(b.names) == 0 {
		return
	}
	if late(s.until) {
		b.err = errLate
		return
	}
	fd, err := openFolder(unix.AT_FDCWD, b.path)
	if missing(err) {
		return
	}
	if err != nil {
		b.err = &os.PathError{Op: "open", Path: b.path, Err: err}
		return
	}
	defer unix.Close(fd)
	for _, name := range b.names {
		path := join(b.path, name)
		if s.skip(path) {
			continue
		}
		at := opened{path: path, depth: depth, limit: s.left}
		err := s.folder(fd, name, &at, buf)
		b.found = append(b.found, at.found...)
		if err == nil {
			if len(at.names) > 0 {
				b.next = append(b.next, parent{path: path, names: at.names})
			}
			continue
		}
		e, lost := statxAt(fd, name)
		switch {
		case missing(lost):
		case lost != nil:
			b.err = &os.PathError{Op: "statx", Path: path, Err: lost}
			return
		case e.is(typeFolder):
			b.found = append(b.found, finding{path: path, entry: e, whole: true, err: err})
		}
	}
}

// whole tells of a folder that was listed, and in which not all was searched.
func (s *search) whole(path string, err error) error {
	e, lost := statx(path)
	if missing(lost) {
		return nil
	}
	if lost != nil {
		return &os.PathError{Op: "statx", Path: path, Err: lost}
	}
	if errors.Is(err, errBound) {
		err = nil
	}
	s.found = append(s.found, finding{path: path, entry: e, whole: true, err: err})
	return nil
}
