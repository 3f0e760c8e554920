package fsview

import (
	"errors"
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// How many missing names and warnings are reported: the server can make any number of them.
const (
	maxUnprotected = 256
	maxProtectWarn = 5
)

// A finding is a path to protect, or a folder of which it is unknown whether it holds one.
type finding struct {
	path  string
	entry entry
	whole bool
	bare  bool  // a repository without a .git around it
	err   error // why the folder could not be looked into, or nil where the search was at its bound
}

// A protection collects the read-only paths of the write grants.
type protection struct {
	*tree
	bounds   bounds
	findings []finding
	aliased  []alias
	warned   int // warnings so far
	missing  int // names that are not there
}

// protectPath protects the file that a path leads to, and every link on its way: a link that is a mount point cannot be
// put elsewhere. Only a path that does not exist is passed over.
func (p *protection) protectPath(at string) {
	r, err := p.lookups.resolve(at)
	for _, l := range r.links {
		if e, ok := p.lookups.stat(l.at); ok {
			p.protect(finding{path: l.at, entry: e})
		}
	}
	switch {
	case err == nil:
		p.protect(finding{path: r.path, entry: r.entry})
	case missing(err):
		p.await(at, &r)
	case err == unix.ELOOP, errors.Is(err, ErrSystem): // a path to nowhere, or to a file system that is made fresh
	default:
		p.protectClosed(dirOf(r.path), err)
	}
}

// await notes a path that leads to nothing yet.
func (p *protection) await(at string, r *resolved) {
	for _, place := range p.places(r.path) {
		if !p.points.access(place).write {
			continue
		}
		if place == r.path && len(r.links) == 0 {
			place = path.Clean(at) // a .git file may name it by ".."
		} else if place == r.path {
			place = at
		}
		p.view.watched.awaited = append(p.view.watched.awaited, place)
		p.miss(place)
	}
}

// protectClosed protects as a whole a folder that cannot be looked into.
func (p *protection) protectClosed(folder string, err error) {
	switch {
	case !p.points.access(folder).write:
	case p.points.has(folder, mayWrite):
		p.fail(unsearchable(folder, err))
	default:
		p.protectWhole(folder, err)
	}
}

// protectWhole protects all of a folder, and be it a write grant.
func (p *protection) protectWhole(folder string, err error) {
	e, lost := p.lookups.lstat(folder)
	if lost != nil {
		p.fail(unsearchable(folder, lost))
		return
	}
	p.protect(finding{path: folder, entry: e, whole: true, err: err})
}

// protect protects a path in a write grant, by whatever mount, unless the policy grants the path by its name.
func (p *protection) protect(f finding) {
	for _, place := range p.places(f.path) {
		f.path = place
		p.protectAt(f)
	}
}

func (p *protection) protectAt(f finding) {
	p.view.watched.known[f.path] = true
	if !p.points.access(f.path).write || p.points.has(f.path, mayWrite) && !f.whole {
		return
	}
	p.findings = append(p.findings, f)
	if !f.whole {
		return
	}
	why := "more than " + strconv.Itoa(p.bounds.folders) +
		" folders to search for what runs code outside"
	if f.err != nil {
		why = "it cannot be searched for what runs code outside of the sandbox: " + f.err.Error()
	}
	if !errors.Is(f.err, unix.EACCES) { // what the user may not enter is no loss
		p.hold(f.path, why, f.err == nil)
	}
	p.warnBounded(f.path + " is read-only as a whole: " + why)
}

// hold notes a folder that is read-only because of the files that may lie in it.
func (p *protection) hold(path, why string, granted bool) {
	p.view.Held = append(p.view.Held, Held{path, p.rootOf(path), why, granted})
}

// warnBounded warns, but not of everything that the server can make thousands of.
func (p *protection) warnBounded(text string) {
	if p.warned++; p.warned <= maxProtectWarn {
		p.warn(text)
	}
}

// miss notes a path that would be protected if it existed.
func (p *protection) miss(path string) {
	if p.missing++; p.missing <= maxUnprotected {
		p.view.Unprotected = append(p.view.Unprotected, path)
	}
}

// rootOf is the write grant that a path lies in.
func (p *protection) rootOf(path string) string {
	for path != "/" && !p.points.has(path, mayWrite) {
		path = dirOf(path)
	}
	return path
}
