package view

import "os"

// A grant is one path of allowRead or allowWrite.
type grant struct {
	key   string // of the policy
	given string
	write bool
	resolved
}

// allow adds what the policy grants.
func (p *planner) allow() error {
	fs := &p.r.Policy.Filesystem
	for _, g := range fs.AllowWrite {
		if err := p.grant(grant{key: "allowWrite", given: g, write: true}); err != nil {
			return err
		}
	}
	for _, g := range fs.AllowRead {
		if err := p.grant(grant{key: "allowRead", given: g}); err != nil {
			return err
		}
	}
	for i := range p.grants {
		if g := &p.grants[i]; g.write {
			p.writes = append(p.writes, g.path)
		}
	}
	// First what the server had no hand in, so that it can be told what was visible anyway.
	for i := range p.grants {
		if g := &p.grants[i]; p.suspect(&g.resolved) == nil {
			p.points.allow(g.path, g.entry, p.right(g.write))
			p.show(&g.resolved)
		}
	}
	return nil
}

// settle looks at the grants that a link inside a write grant leads to, when all others and the denies are known.
func (p *planner) settle() error {
	for i := range p.grants {
		g := &p.grants[i]
		if err := p.trust(&g.resolved, g.write); err != nil {
			return &os.PathError{Op: g.key, Path: g.given, Err: err}
		}
		if p.suspect(&g.resolved) != nil {
			p.points.allow(g.path, g.entry, mayRead)
			p.show(&g.resolved)
		}
	}
	return nil
}

func (p *planner) right(write bool) flag {
	if write && !p.strict {
		return mayWrite
	}
	return mayRead
}

// grant resolves and checks one grant.
func (p *planner) grant(g grant) error {
	path, optional := optionalPath(g.given)
	fail := func(err error) error { return &os.PathError{Op: g.key, Path: path, Err: err} }
	var err error
	if g.resolved, err = p.host.resolve(path); err != nil {
		if optional && missing(err) {
			return nil
		}
		return fail(err)
	}
	switch {
	case g.path == "/":
		return fail(ErrSystem)
	case g.entry.is(typeSocket):
		return fail(ErrSocket)
	case !g.entry.is(typeFolder) && !g.entry.is(typeFile):
		return fail(ErrSpecial)
	}
	if g.write && (p.guarded(path) || p.guarded(g.path)) {
		return fail(ErrProtected)
	}
	if g.write && p.strict {
		p.warn("allowWrite " + path + ": read-only in level strict")
	}
	if p.r.Root && !p.may(&g.entry, g.path, needed(&g.entry, g.write && !p.strict)) {
		return fail(&IDError{p.r.UID, p.r.GID})
	}
	p.grants = append(p.grants, g)
	return nil
}

// A denial is one path of denyRead or denyWrite.
type denial struct {
	resolved
	flag flag
}

// deny adds what the policy denies, and settles what remained of the grants.
func (p *planner) deny() error {
	fs := &p.r.Policy.Filesystem
	found := make([]denial, 0, len(fs.DenyRead)+len(fs.DenyWrite))
	for _, d := range fs.DenyRead {
		if err := p.denied(&found, "denyRead", d, noRead); err != nil {
			return err
		}
	}
	for _, d := range fs.DenyWrite {
		if err := p.denied(&found, "denyWrite", d, noWrite); err != nil {
			return err
		}
	}
	for i := range found {
		d := &found[i]
		p.points.allow(d.path, d.entry, d.flag)
	}
	return p.settle()
}

func (p *planner) denied(found *[]denial, key, given string, f flag) error {
	path, optional := optionalPath(given)
	if within(path, "/sys") {
		return nil // nobody sees it
	}
	r, err := p.host.resolve(path)
	switch {
	case err != nil && optional && missing(err):
		return nil
	case err != nil:
	case r.path == "/" && p.v.HostRoot && f == noRead:
		err = ErrSystem // the root itself cannot be covered
	case !p.points.access(r.path).read:
		err = p.suspect(&r) // by the server's hand, perhaps, it leads to where it denies nothing
	}
	if err != nil {
		return &os.PathError{Op: key, Path: path, Err: err}
	}
	*found = append(*found, denial{r, f})
	return nil
}

func optionalPath(given string) (path string, optional bool) {
	if len(given) > 0 && given[0] == '-' {
		return given[1:], true
	}
	return given, false
}

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
	if item, ok := storeItem(r.path); ok && !write && within(r.path, item) {
		return nil
	}
	return err
}

func needed(e *entry, write bool) uint32 {
	need := uint32(4)
	if e.is(typeFolder) {
		need |= 1
	}
	if write {
		need |= 2
	}
	return need
}
