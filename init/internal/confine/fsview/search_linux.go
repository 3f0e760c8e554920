package fsview

import (
	"errors"
	"os"
	"slices"
	"sync"
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

var (
	errLate  = errors.New("no time is left to search it")
	errBound = errors.New("it has too many folders to search them all")
)

// A search looks for the protected names in a folder and up to three folders below it, and through no link. The search
// goes depth by depth, and at one depth folders with few subfolders come first. A folder with more subfolders than
// the search may still visit becomes a finding as a whole, and costs no other folder its turn.
type search struct {
	buf   []byte
	left  int                              // folders that may still be looked into
	until time.Time                        // when to stop, if it is not zero
	skip  func(path string) bool           // folders that need no search
	may   func(path string, e *entry) bool // whether the server may enter a folder; nil: if this process may
	found []finding
}

// tree searches from root on. An error means that root itself cannot be looked into.
func (s *search) tree(root string) error {
	top, err := s.folder(unix.AT_FDCWD, root, root, 0, s.buf)
	if err != nil {
		return err
	}
	folders := []searched{top}
	for depth := 1; depth <= searchDepth; depth++ {
		s.searchFolders(folders, depth)
		var next []searched
		for i := range folders {
			f := &folders[i]
			s.found = append(s.found, f.found...)
			switch {
			case f.err == nil:
				next = append(next, f.next...)
			case f.path == root && !errors.Is(f.err, errBound):
				return f.err
			default:
				if err := s.whole(f.path, f.err); err != nil {
					return err
				}
			}
		}
		folders = next
	}
	return nil
}

// searchFolders looks into the folders of all folders of one depth: those of small ones first, as far as the bound
// goes. Of many folders one half is another thread's, for this takes little but system calls.
func (s *search) searchFolders(folders []searched, depth int) {
	slices.SortStableFunc(folders, func(a, b searched) int { return len(a.names) - len(b.names) })
	total, fits := 0, 0
	for i := range folders {
		f := &folders[i]
		if len(f.names) > s.left {
			f.err = errBound
			continue
		}
		s.left -= len(f.names)
		total += len(f.names)
		fits++
	}
	folders = folders[:fits] // the small ones are the first
	if total < worthThread || s.may != nil {
		for i := range folders {
			folders[i].err = s.children(&folders[i], depth, s.buf)
		}
		return
	}
	var next atomic.Int32
	work := func(buf []byte) {
		for i := next.Add(1) - 1; int(i) < len(folders); i = next.Add(1) - 1 {
			folders[i].err = s.children(&folders[i], depth, buf)
		}
	}
	var second sync.WaitGroup
	var fault any // is the caller's too, who may recover
	second.Go(func() {
		defer func() { fault = recover() }()
		work(make([]byte, len(s.buf)))
	})
	work(s.buf)
	if second.Wait(); fault != nil {
		panic(fault)
	}
}

// children looks into the folders in one folder. An error means that the folder is protected as a whole.
func (s *search) children(f *searched, depth int, buf []byte) error {
	if len(f.names) == 0 {
		return nil
	}
	if late(s.until) {
		return errLate
	}
	fd, err := openFolder(unix.AT_FDCWD, f.path)
	if missing(err) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: f.path, Err: err}
	}
	defer unix.Close(fd)
	for _, name := range f.names {
		path := join(f.path, name)
		if s.skip(path) {
			continue
		}
		child, err := s.folder(fd, name, path, depth, buf)
		f.found = append(f.found, child.found...)
		if err == nil {
			if child.found = nil; len(child.names) > 0 {
				f.next = append(f.next, child)
			}
			continue
		}
		e, lost := statxAt(fd, name)
		switch {
		case missing(lost), s.isClosed(fd, lost):
		case lost != nil:
			return &os.PathError{Op: "statx", Path: path, Err: lost}
		case e.is(typeFolder):
			f.found = append(f.found, finding{path: path, entry: e, whole: true, err: err})
		}
	}
	return nil
}

// isClosed reports whether something in an open folder may not even be looked at by a process that can enter the
// folder, as a FUSE file system of another user's: the server, which is the same user, can use nothing there either.
func (s *search) isClosed(folder int, err error) bool {
	if s.may != nil || !errors.Is(err, unix.EACCES) {
		return false
	}
	_, err = statxAt(folder, ".")
	return err == nil
}

// whole adds a folder that was listed, and in which not all was searched.
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
