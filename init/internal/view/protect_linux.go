package view

// protect holds what lies inside write grants and would run code outside of the sandbox.
func (p *planner) protect() error {
	// A name granted is writable: said, not held.
	for i := range p.grants {
		g := &p.grants[i]
		if g.write && inGit(g.path) && p.points.access(g.path).write {
			p.warn(g.path + " is writable: hooks and config in a .git run code outside of the sandbox")
		}
	}
	for i := range p.grants {
		g := &p.grants[i]
		if !g.entry.is(typeFolder) || inGit(g.path) {
			continue
		}
		if g.write {
			p.search(g.path)
		} else {
			p.worktree(join(g.path, ".git"))
		}
	}
	for _, path := range [...]string{p.r.PolicyFile, p.r.ReportFile, p.r.Launcher} {
		p.holdFile(path)
	}
	return nil
}

// guarded reports whether a path may not be granted for writing at all.
func (p *planner) guarded(path string) bool {
	if startsCode(path) {
		return true
	}
	for _, f := range [...]string{p.r.PolicyFile, p.r.ReportFile, p.r.Launcher} {
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

// holdFile protects one file that has a path of its own.
func (p *planner) holdFile(path string) {
	if path == "" || path[0] != '/' {
		return
	}
	r, err := p.host.resolve(path)
	if err != nil {
		if missing(err) && p.points.access(path).write {
			p.v.Unprotected = append(p.v.Unprotected, path)
		}
		return
	}
	for _, l := range r.links {
		if p.points.access(l.at).write {
			p.loose(l.at)
		}
	}
	p.hold(r.path, r.entry)
}

// holdNames protects all that has one of the names in a folder.
func (p *planner) holdNames(root string) {
	for _, name := range hooked() {
		path := join(root, name)
		if !p.points.access(path).write {
			continue
		}
		e, err := p.host.lstat(path)
		switch {
		case err != nil:
			p.v.Unprotected = append(p.v.Unprotected, path)
		case e.is(typeLink):
			p.loose(path)
			if r, err := p.host.resolve(path); err == nil {
				p.hold(r.path, r.entry)
			}
		default:
			p.hold(path, e)
		}
	}
}

// loose tells of a symbolic link that nothing can be mounted on.
func (p *planner) loose(path string) {
	p.v.Unprotected = append(p.v.Unprotected, path)
	p.warn(path + " is a symbolic link: the server can put another in its place")
}

func (p *planner) hold(path string, e entry) {
	if !p.points.access(path).write || !e.is(typeFolder) && !e.is(typeFile) {
		return
	}
	if pt := p.points[path]; pt != nil && pt.flags&mayWrite != 0 {
		return // granted by name
	}
	p.points.allow(path, e, held)
	p.v.Protected = append(p.v.Protected, path)
}
