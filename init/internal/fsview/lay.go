package fsview

import "slices"

// lay adds what one point becomes.
func (e *emitter) lay(path string) {
	p, v := e.points[path], e.view
	isFolder := p.entry.is(typeFolder)
	switch p.act {
	case nothing:
		return
	case bind:
		e.parents(path)
		v.Nodes = append(v.Nodes, Node{Path: path, Kind: Bind, Source: path, Folder: isFolder, Device: p.flags&device != 0,
			Write: e.access(path).write, FileID: p.entry.FileID})
	case freeze:
		v.Covers = append(v.Covers, Cover{Path: path, Kind: ReadOnly, Folder: isFolder, Source: path, FileID: p.entry.FileID})
	case hide:
		v.Covers = append(v.Covers, Cover{Path: path, Kind: Deny, Folder: isFolder, Source: path, FileID: p.entry.FileID})
	case own:
		e.parents(path)
		n := Node{Path: path, Kind: Dir, Mode: p.mode}
		if e.access(dirOf(path)).private {
			v.Nodes = append(v.Nodes, n) // on the private tmpfs already: no mount, nothing to pin
			e.made[path] = true
			return
		}
		v.Private = append(v.Private, n)
	case plain:
		e.parents(path)
		n := Node{Path: path, Kind: Dir, Mode: p.mode, Content: p.content}
		if p.flags&link != 0 {
			n.Kind, n.Mode = Link, 0
		} else if p.flags&file != 0 {
			n.Kind = File
		}
		v.Nodes = append(v.Nodes, n)
	}
	e.made[path] = true
	if p.act != plain {
		e.pin(path)
	}
}

// parents makes the folders above path that are not the host's.
func (e *emitter) parents(path string) {
	q := dirOf(path)
	if q == "/" || e.made[q] || e.access(q).read {
		return
	}
	e.parents(q)
	e.made[q] = true
	e.view.Nodes = append(e.view.Nodes, Node{Path: q, Kind: Dir, Mode: 0o755})
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
		if e.pins[q] || p != nil && (p.act == bind || p.act == own && !e.access(dirOf(q)).private) {
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
		i := slices.IndexFunc(v.Nodes, func(n Node) bool { return below(n.Path, path) })
		if i < 0 {
			return len(v.Nodes)
		}
		return i
	}
	slices.SortStableFunc(v.Private, func(a, b Node) int { return first(a.Path) - first(b.Path) })
}
