package view

// suspect is an error if a path goes through a link inside a write grant: the server could have made it in an earlier
// session, to be shown at the next start what it was never granted.
func (p *planner) suspect(r *resolved) error {
	for _, l := range r.links {
		for _, w := range p.writes {
			if below(l.at, w) {
				return &LinkError{Link: l.at, Target: r.path}
			}
		}
	}
	return nil
}

// trust is suspect, but lets pass what is granted or visible anyway and, for reading, what lies in a version store.
func (p *planner) trust(r *resolved, write bool) error {
	err := p.suspect(r)
	if err == nil {
		return nil
	}
	a := p.points.access(r.path)
	if a.read && (a.write || !write || p.strict) {
		return nil
	}
	if !write && isStored(r.path) {
		return nil
	}
	return err
}
