package fsview

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// layout adds the node or the cover of one point.
func (e *emitter) layout(path string) {
	p, v := e.points[path], e.view
	switch p.act {
	case nothing:
		return
	case freeze:
		e.cover(path, ReadOnly)
	case hide:
		e.cover(path, Deny)
	case own:
		e.parents(path)
		n := Node{Path: path, Kind: Dir, Mode: p.mode}
		if path == e.home {
			v.Private = append(v.Private,
				Node{Path: path, Kind: Bind, Source: v.State, Folder: true, Write: true, FileID: p.entry.FileID})
			break
		}
		if e.access(dirOf(path)).private {
			e.add(n) // on the private tmpfs already: no mount, nothing to pin
			e.made[path] = true
			return
		}
		v.Private = append(v.Private, n)
	default:
		e.parents(path)
		e.add(e.node(path))
	}
	e.made[path] = true
	if p.act != plain {
		e.pin(path)
	}
}

// add adds a node. In a state's folder only binds are mounted, on places that exist: the rest is made there beforehand.
func (e *emitter) add(n Node) {
	if !e.inState(n.Path) {
		e.view.Nodes = append(e.view.Nodes, n)
		return
	}
	p := Place{Name: n.Path[len(e.home)+1:], Folder: n.Kind == Dir || n.Folder, Inner: n.Kind == Dir}
	if n.Kind == Link {
		p.Target = n.Content
	}
	e.view.Places = append(e.view.Places, p)
	if n.Kind == Bind {
		e.view.Nodes = append(e.view.Nodes, n)
	}
}

// inState reports whether a file made at a path is made in the folder of a state, and in no other mount there.
func (e *emitter) inState(path string) bool {
	if e.home == "" || !policy.Below(path, e.home) {
		return false
	}
	for q := dirOf(path); q != e.home; q = dirOf(q) {
		if p := e.points[q]; p != nil && (p.act == bind || p.act == own && !e.access(dirOf(q)).private) {
			return false
		}
	}
	return true
}

// node is a Bind, or a file made in the root's own tmpfs.
func (e *emitter) node(path string) Node {
	p := e.points[path]
	n := Node{Path: path, Kind: Dir, Mode: p.mode, Content: p.content}
	switch {
	case p.act == bind:
		n = Node{Path: path, Kind: Bind, Source: path, FileID: p.entry.FileID}
		n.Folder, n.Device, n.Write = p.entry.is(typeFolder), p.flags&device != 0, e.access(path).write
		n.Socket = p.flags&socket != 0
	case p.flags&link != 0:
		n.Kind, n.Mode = Link, 0
	case p.flags&file != 0:
		n.Kind = File
	}
	return n
}

func (e *emitter) cover(path string, kind CoverKind) {
	st := &e.points[path].entry
	c := Cover{Path: path, Kind: kind, Folder: st.is(typeFolder), Source: path, FileID: st.FileID}
	if at, ok := e.stat(path); ok { // the point may have the entry of another path to the file
		c.Mount = at.mount
	}
	e.view.Covers = append(e.view.Covers, c)
}

// parents makes the folders above path that are not the host's.
func (e *emitter) parents(path string) {
	q := dirOf(path)
	if q == "/" || e.made[q] || e.access(q).read {
		return
	}
	e.parents(q)
	e.made[q] = true
	e.add(Node{Path: q, Kind: Dir, Mode: e.wayMode(q)})
}

// wayMode is the mode of a folder that is made for the way to something: the host's, as far as it lets others read and
// enter. GnuPG takes a folder below /run/user only if no other user may enter that.
func (e *emitter) wayMode(path string) uint32 {
	const most, search = 0o755, 0o500
	if st, ok := e.stat(path); ok && st.is(typeFolder) {
		return most&st.mode | search
	}
	return most
}

// pin pins the folders between path and the root of the writable region that path lies in: a folder that can be
// renamed takes the mount below it along, and another one can be put in its place.
func (e *emitter) pin(path string) {
	for q := dirOf(path); q != "/"; q = dirOf(q) {
		a := e.access(q)
		if !a.write && !a.private {
			return
		}
		p := e.points[q]
		if e.pins[q] || q == e.home || p != nil && (p.act == bind || p.act == own && !e.access(dirOf(q)).private) {
			return
		}
		e.pins[q] = true
		c := Cover{Path: q, Kind: Pin, Folder: true}
		if st, ok := e.stat(q); ok && a.write {
			c.Source, c.FileID = q, st.FileID
		}
		e.view.Covers = append(e.view.Covers, c)
	}
}

// sortPrivate puts the private folders into the order in which the nodes need them: a node below one comes after it.
func sortPrivate(v *View) {
	first := func(path string) int {
		i := slices.IndexFunc(v.Nodes, func(n Node) bool { return policy.Below(n.Path, path) })
		if i < 0 {
			return len(v.Nodes)
		}
		return i
	}
	slices.SortStableFunc(v.Private, func(a, b Node) int { return first(a.Path) - first(b.Path) })
}
