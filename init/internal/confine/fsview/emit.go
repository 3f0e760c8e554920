package fsview

import (
	"maps"
	"slices"
)

// An action is how a point gets into the view.
type action uint8

const (
	nothing action = iota // all as it is above
	bind                  // a Bind node
	freeze                // a ReadOnly cover
	hide                  // a Deny cover
	own                   // a folder on the private tmpfs
	plain                 // a Dir, Link or File node
)

// An emitter turns points into the ordered lists of a View.
type emitter struct {
	points
	view  *View
	stat  func(path string) (entry, bool)
	paths []string        // of the points, parents first
	made  map[string]bool // entries that the nodes so far make
	pins  map[string]bool
	home  string // that is a state's folder; "" if there is none
}

// emit fills v.Nodes, v.Covers and v.Private. stat looks at the host.
func (ps points) emit(v *View, stat func(string) (entry, bool)) {
	e := &emitter{points: ps, view: v, stat: stat, made: make(map[string]bool, 2*len(ps)), pins: map[string]bool{}}
	e.paths = slices.SortedFunc(maps.Keys(ps), comparePaths)
	e.paths = slices.DeleteFunc(e.paths, func(path string) bool { return path == "/" })
	for _, path := range e.paths {
		e.decide(path)
		if ps.has(path, lasting) {
			e.home = path
		}
	}
	for _, path := range e.paths {
		e.splitCovers(path)
	}
	v.Nodes = make([]Node, 0, len(e.paths)+8)
	for _, path := range e.paths {
		e.layout(path)
	}
	slices.SortFunc(v.Covers, func(a, b Cover) int { return comparePaths(a.Path, b.Path) })
	sortPrivate(v)
}

// decide compares the access to a path with the access to the folder above it.
func (e *emitter) decide(path string) {
	p := e.points[path]
	cur, up := e.access(path), e.access(dirOf(path))
	switch {
	case p.flags&private != 0 && cur.private:
		p.act = own
	case cur.read && !up.read, cur.write && !up.write, cur.read && p.flags&socket != 0:
		p.act = bind
	case cur.read && up.write && !cur.write:
		p.act = freeze
	case up.read && !cur.read && !cur.private:
		p.act = hide
	case !cur.read && p.flags&(link|folder|file) != 0:
		p.act = plain
	}
}

// splitCovers sees to it that nothing has to be mounted below a Cover, since covers come last. A read-only folder with
// something writable in it becomes a Bind of its own, and a denied folder with something granted in it an empty private
// folder, in which the mount points can be made.
func (e *emitter) splitCovers(path string) {
	if a := e.points[path].act; a != bind && a != own && a != plain {
		return
	}
	for q := dirOf(path); q != "/"; q = dirOf(q) {
		p := e.points[q]
		switch {
		case p == nil:
		case p.act == freeze:
			p.act = bind
		case p.act == hide:
			p.act, p.mode = own, 0o555
			p.flags |= private | noRead
		}
	}
}
