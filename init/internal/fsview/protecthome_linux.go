package fsview

// protectHomes holds the names of the homes, and what links of these names, or in them, lead to in a write grant: a folder of
// dotfiles may be granted, and the home not.
func (p *planner) protectHomes() error {
	if len(p.writes) == 0 || p.strict {
		return nil
	}
	p.insideLeft = p.insideMost
	for _, home := range p.ownHomes() {
		start := home
		if r, err := p.host.resolve(home); err == nil {
			start = r.path
		}
		for i := range hooked { // a search finds those in a write grant, if it goes so deep
			at := join(home, hooked[i])
			if e, err := p.host.lstat(at); err == nil && (e.is(typeLink) || e.is(typeFolder) || p.writesHome(home, hooked[i])) {
				if err := p.keepAll(at); err != nil {
					return err
				}
			}
		}
		for i := range homely {
			at := join(home, homely[i])
			if !p.writesHome(home, homely[i]) && len(p.aliases()) == 0 {
				r, err := p.host.resolveFrom(start, homely[i])
				if len(r.links) == 0 && (err != nil || !r.entry.is(typeFolder)) {
					continue
				}
			}
			if err := p.keepAll(at); err != nil {
				return err
			}
		}
	}
	return p.configured("")
}

// keepAll holds a path and what links in it lead to.
func (p *planner) keepAll(at string) error {
	if err := p.keep(at); err != nil {
		return err
	}
	return p.lookInside(at, false)
}

// writesHome reports whether a name below a home lies in a write grant.
func (p *planner) writesHome(home, name string) bool {
	for _, w := range p.writes {
		if within(home, w) || below(w, home) && within(name, w[len(home)+1:]) {
			return p.points.access(join(home, name)).write
		}
	}
	return false
}
