package fsview

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// maxNames is how many names in the grants are compared with the files that have other names.
const maxNames = 200000

// A linked is a denied or protected file in a write grant that has another name, a hard link.
type linked struct {
	key, path string
	read      bool // it may not be read
}

var (
	errNames  = errors.New("more than 200000 names lie in the grants")
	errMoving = errors.New("something is being made or moved there: end what writes there and start again")
)

// linked notes a file of which a server could have made another name in an earlier launch: when it did not exist yet under
// this one, or was neither denied nor protected.
func (p *planner) linked(key, path string, e *entry, read bool) {
	if !e.is(typeFile) || e.links < 2 || p.r.Shared || p.strict || !slices.ContainsFunc(p.places(path), p.written) {
		return
	}
	if p.manyNames == nil {
		p.manyNames = make(map[platform.FileID]linked)
	}
	if l, ok := p.manyNames[e.FileID]; !ok || read && !l.read {
		p.manyNames[e.FileID] = linked{key, path, read}
	}
}

// otherNames refuses a launch in which such a file can be opened under its other name. A name that lies in no grant, as in a
// backup or a store of packages, or that is held itself, is of no use to the server.
func (p *planner) otherNames() error {
	for _, h := range p.holds {
		p.linked("allowWrite", h.path, &h.entry, false)
	}
	if len(p.manyNames) == 0 {
		return nil
	}
	began, left := time.Now(), maxNames
	var folders []string
	for i := range p.grants {
		if g := &p.grants[i]; g.entry.is(typeFolder) {
			folders = append(folders, g.path)
		} else if err := p.otherName(g.path, &g.entry); err != nil {
			return err
		}
	}
	for i := 0; i < len(folders); i++ {
		if !p.points.access(folders[i]).read {
			continue
		}
		if err := p.namesIn(folders[i], &folders, &left); err != nil {
			return err
		}
	}
	for _, at := range folders {
		if changedSince(at, began) { // a server that still runs may have moved the name to where it had been looked for already
			return p.unknown(&os.PathError{Op: "list", Path: at, Err: errMoving})
		}
	}
	return nil
}

// namesIn looks for the other names in one folder, and adds the folders in it.
func (p *planner) namesIn(folder string, folders *[]string, left *int) error {
	var found error
	err := p.host.list(folder, func(name []byte, kind byte) bool {
		path := join(folder, string(name))
		switch *left--; {
		case *left < 0:
			found = p.unknown(errNames)
		case kind == unix.DT_DIR:
			*folders = append(*folders, path)
		case kind == unix.DT_REG || kind == unix.DT_UNKNOWN:
			e, err := statx(path)
			switch {
			case err != nil && !missing(err):
				found = p.unknown(&os.PathError{Op: "statx", Path: path, Err: err})
			case e.is(typeFolder):
				*folders = append(*folders, path)
			case e.is(typeFile):
				found = p.otherName(path, &e)
			}
		}
		return found == nil
	})
	if found == nil && err != nil && !p.closed(folder, err) {
		found = p.unknown(err)
	}
	return found
}

// otherName is an error if a file can be opened, and is one of those under another name.
func (p *planner) otherName(path string, e *entry) error {
	l, ok := p.manyNames[e.FileID]
	if !ok || path == l.path {
		return nil
	}
	if a := p.points.access(path); !a.write && !(l.read && a.read) {
		return nil
	}
	return &os.PathError{Op: l.key, Path: l.path, Err: &OtherNameError{Name: path}}
}

// unknown is the error for the case that nobody can tell where the other names are.
func (p *planner) unknown(err error) error {
	var first linked
	for _, l := range p.manyNames {
		if first.path == "" || l.path < first.path {
			first = l
		}
	}
	return &os.PathError{Op: first.key, Path: first.path, Err: &OtherNameError{Err: err}}
}
