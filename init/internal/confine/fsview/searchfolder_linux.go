package fsview

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"golang.org/x/sys/unix"
)

// A searched is a folder that was listed.
type searched struct {
	path  string
	names []string   // of the folders in it, if they are to be looked into
	found []finding  // in it; once its folders are listed, in those
	next  []searched // the folders in it that hold folders themselves
	err   error      // why the folder is protected as a whole
}

// folder finds the protected names in one folder, and the names of the folders in it.
func (s *search) folder(at int, name, path string, depth int, buf []byte) (f searched, err error) {
	fd, err := openFolder(at, name)
	if err != nil {
		return f, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	if s.may != nil {
		if e, err := statxAt(fd, "."); err == nil && !s.may(path, &e) {
			return f, &os.PathError{Op: "enter", Path: path, Err: unix.EACCES}
		}
	}
	f.path = path
	var parts protected.Parts
	var guarded, unknown []string
	err = entries(fd, path, buf, func(name []byte, kind uint32) bool {
		if protected.Guards(name) {
			guarded = append(guarded, string(name))
			return true
		}
		parts.Add(name)
		switch {
		case depth == searchDepth || len(f.names) > s.left || string(name) == unsearched:
		case kind == typeFolder:
			f.names = append(f.names, string(name))
		case kind == 0:
			unknown = append(unknown, string(name))
		}
		return true
	}, s.until)
	if err != nil {
		return f, err
	}
	for _, name := range append(guarded, unknown...) {
		e, err := statxAt(fd, name)
		switch {
		case missing(err), s.isClosed(fd, err):
		case err != nil:
			return f, &os.PathError{Op: "statx", Path: join(path, name), Err: err}
		case protected.Guards([]byte(name)):
			f.found = append(f.found, finding{path: join(path, name), entry: e})
		case e.is(typeFolder):
			f.names = append(f.names, name)
		}
	}
	if parts.Repository() {
		e, err := statxAt(fd, "")
		if err != nil {
			return f, &os.PathError{Op: "statx", Path: path, Err: err}
		}
		f.found = append(f.found, finding{path: path, entry: e, bare: true})
	}
	return f, nil
}
