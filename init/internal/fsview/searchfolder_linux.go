package fsview

import (
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview/protected"
	"golang.org/x/sys/unix"
)

// An opened is what was seen in one folder.
type opened struct {
	path  string
	depth int
	limit int // of names
	names []string
	found []finding
	parts protected.Parts // of a repository
}

// folder looks into one folder.
func (s *search) folder(at int, name string, f *opened, buf []byte) error {
	fd, err := openFolder(at, name)
	if err != nil {
		return &os.PathError{Op: "open", Path: f.path, Err: err}
	}
	defer unix.Close(fd)
	if s.may != nil {
		if e, err := statxAt(fd, "."); err == nil && !s.may(f.path, &e) {
			return &os.PathError{Op: "enter", Path: f.path, Err: unix.EACCES}
		}
	}
	return f.list(fd, buf, s.until)
}

// list finds the protected names in an open folder, and the names of the folders in it.
func (f *opened) list(fd int, buf []byte, until time.Time) error {
	var guarded, unknown []string
	err := entries(fd, f.path, buf, func(name []byte, kind uint32) bool {
		if protected.Guards(name) {
			guarded = append(guarded, string(name))
			return true
		}
		f.parts.Add(name)
		switch {
		case f.depth == searchDepth || len(f.names) > f.limit || string(name) == unsearched:
		case kind == typeFolder:
			f.names = append(f.names, string(name))
		case kind == 0:
			unknown = append(unknown, string(name))
		}
		return true
	}, until)
	if err != nil {
		return err
	}
	for _, name := range append(guarded, unknown...) {
		e, err := statxAt(fd, name)
		switch {
		case missing(err):
		case err != nil:
			return &os.PathError{Op: "statx", Path: join(f.path, name), Err: err}
		case protected.Guards([]byte(name)):
			f.found = append(f.found, finding{path: join(f.path, name), entry: e})
		case e.is(typeFolder):
			f.names = append(f.names, name)
		}
	}
	if f.parts.Repository() {
		e, err := statxAt(fd, "")
		if err != nil {
			return &os.PathError{Op: "statx", Path: f.path, Err: err}
		}
		f.found = append(f.found, finding{path: f.path, entry: e, bare: true})
	}
	return nil
}
