package fsview

// suspect is an error if a path goes through a link inside a write grant: the server could have made it in an earlier
// session, to be shown at the next start what it was never granted.
func (p *planner) suspect(r *resolved) error {
	if at, ok := p.serversLink(r); ok {
		return &LinkError{Kind: ErrLink, Link: at, Target: r.path}
	}
	return nil
}

// serversLink finds the first of the links on the way to a path that the server could have made.
func (p *planner) serversLink(r *resolved) (at string, ok bool) {
	for _, l := range r.links {
		if p.written(l.at) {
			return l.at, true
		}
	}
	return "", false
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
