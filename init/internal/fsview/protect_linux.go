package fsview

import (
	"errors"
	"os"
	"path"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Bounds of what the report tells: the server can make as many of these as it likes.
const (
	maxUnprotected = 256
	maxReasons     = 5
)

// A protection is what was found of the protected names.
type protection struct {
	reach   int       // how many folders may be searched in one grant
	mounts  int       // how many may hold what was found
	holds   []finding // that lie in a write grant
	reasons int       // warnings so far
	missing int       // names that are not there

	insideMost int // how many names are looked at in the protected folders of one grant
	insideLeft int
	looked     map[string]bool // protected folders, and what links in them lead to; true as a repository
	configs    map[string][]setting
	manyNames  map[platform.FileID]linked
	table      []platform.Mount
	aliased    []alias
}

// protect holds what lies inside write grants and would run code outside of the sandbox.
func (p *planner) protect() error {
	for i := range p.grants {
		g := &p.grants[i]
		switch {
		case inRepository(g.path):
			if g.write && p.points.access(g.path).write { // a name granted is writable: said, not held
				p.warn(g.path + " is writable: hooks and configuration of a repository run code outside of the sandbox")
			}
		case !g.entry.is(typeFolder):
		case !g.write:
			p.worktree(join(g.path, ".git"))
		case p.points.access(g.path).write:
			if err := p.searchGrant(g.path); err != nil {
				return err
			}
		}
	}
	if err := p.protectPaths(); err != nil {
		return err
	}
	p.holdAll()
	if err := p.otherNames(); err != nil {
		return err
	}
	p.hideOwn()
	if n := p.reasons - maxReasons; n > 0 {
		p.warn(strconv.Itoa(n) + " more are read-only as a whole, or name what is not protected: the report lists what is, under protected")
	}
	if n := p.missing - maxUnprotected; n > 0 {
		p.v.Unprotected = append(p.v.Unprotected, strconv.Itoa(n)+" more") // behind all paths, once they are sorted
	}
	return nil
}

// protectPaths holds what has a path of its own.
func (p *planner) protectPaths() error {
	if err := p.protectHomes(); err != nil {
		return err
	}
	for _, path := range p.r.Own {
		if path != "" && path[0] == '/' {
			if err := p.keep(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// hideOwn hides this product's own folders where they can be read and not written, unless they are granted by name.
func (p *planner) hideOwn() {
	for _, home := range p.ownHomes() {
		if !p.points.access(home).read {
			continue // a grant of less than the home names what it means
		}
		for _, name := range ours() {
			r, err := p.host.resolve(join(home, name))
			if err != nil || !r.entry.is(typeFolder) {
				continue
			}
			pt, a := p.points[r.path], p.points.access(r.path)
			if a.read && !a.write && (pt == nil || pt.flags&(mayRead|mayWrite|held) == 0) {
				p.points.allow(r.path, r.entry, noRead)
			}
		}
	}
}

// guarded reports whether a path may not be granted for writing at all.
func (p *planner) guarded(path string) bool {
	mounts, _ := p.mountTable() // without it no path has another place
	for _, place := range append(elsewhere(mounts, path), path) {
		if p.guardedAt(place) {
			return true
		}
	}
	return false
}

func (p *planner) guardedAt(path string) bool {
	if startsCode(path) {
		return true
	}
	for _, home := range p.ownHomes() {
		if !below(path, home) {
			continue
		}
		for i := range homely {
			if withinFold(path[len(home)+1:], homely[i]) {
				return true
			}
		}
	}
	for _, f := range p.r.Own {
		if f == "" {
			continue
		}
		if f == path {
			return true
		}
		if r, err := p.host.resolve(f); err == nil && r.path == path {
			return true
		}
	}
	return false
}

// keep holds what a path leads to, and every link on its way: a link that is a mount point cannot be put elsewhere. Only
// a path that does not exist is passed over.
func (p *planner) keep(at string) error {
	r, err := p.host.resolve(at)
	for _, l := range r.links {
		if e, lost := p.host.lstat(l.at); lost == nil {
			p.hold(finding{path: l.at, entry: e})
		}
	}
	switch {
	case err == nil:
		p.hold(finding{path: r.path, entry: r.entry})
	case missing(err):
		for _, place := range p.places(r.path) {
			if !p.points.access(place).write {
				continue
			}
			if place == r.path && len(r.links) == 0 {
				place = path.Clean(at) // a .git file may name it by ".."
			} else if place == r.path {
				place = at
			}
			p.v.watched.awaited = append(p.v.watched.awaited, place)
			p.miss(place)
		}
	case err == unix.ELOOP, errors.Is(err, ErrSystem): // it leads nowhere, or to what is no host's inside
	default:
		return p.shut(dirOf(r.path), err)
	}
	return nil
}

// shut holds a folder as a whole that cannot be looked into.
func (p *planner) shut(folder string, err error) error {
	if !p.points.access(folder).write {
		return nil
	}
	e, lost := p.host.lstat(folder)
	if pt := p.points[folder]; lost != nil || pt != nil && pt.flags&mayWrite != 0 {
		return unsearchable(folder, err)
	}
	p.hold(finding{path: folder, entry: e, whole: true, err: err})
	return nil
}

func unsearchable(path string, err error) error {
	return &os.PathError{Op: "allowWrite", Path: path, Err: &SearchError{err}}
}

// hold protects what lies in a write grant, by whatever mount, but for what the policy grants by its name.
func (p *planner) hold(f finding) {
	for _, place := range p.places(f.path) {
		f.path = place
		p.holdAt(f)
	}
}

func (p *planner) holdAt(f finding) {
	if p.v.watched.known == nil {
		p.v.watched.known = make(map[string]bool)
	}
	p.v.watched.known[f.path] = true
	if !p.points.access(f.path).write {
		return
	}
	if pt := p.points[f.path]; pt != nil && pt.flags&mayWrite != 0 && !f.whole {
		return
	}
	p.holds = append(p.holds, f)
	if f.whole && f.err != nil {
		p.reason(f.path + " is read-only as a whole: it cannot be searched for what runs code outside of the sandbox: " + f.err.Error())
	} else if f.whole {
		p.reason(f.path + " is read-only as a whole: more than " + strconv.Itoa(p.reach) + " folders would have to be searched for what " +
			"runs code outside of the sandbox")
	}
}

// reason warns, but not of everything that the server can make thousands of.
func (p *planner) reason(text string) {
	if p.reasons++; p.reasons <= maxReasons {
		p.warn(text)
	}
}

// miss tells of a path that would be protected if it existed.
func (p *planner) miss(path string) {
	if p.missing++; p.missing <= maxUnprotected {
		p.v.Unprotected = append(p.v.Unprotected, path)
	}
}
