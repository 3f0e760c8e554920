package fsview

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

func optionalPath(given string) (path string, optional bool) {
	if len(given) > 0 && given[0] == '-' {
		return given[1:], true
	}
	return given, false
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
