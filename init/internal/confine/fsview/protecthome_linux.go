package fsview

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// homes protects the names of the homes, and the targets, in a write grant, of links of these names or in them: a
// folder of dotfiles may be granted, and the home not.
func (p *protector) homes() {
	if len(p.writes) == 0 || p.strict {
		return
	}
	p.left = p.bounds.inside
	for _, home := range p.ownHomes() {
		for _, name := range protected.Anywhere() { // a search finds those in a write grant, if it goes so deep
			at := join(home, name)
			e, ok := p.lookups.stat(at)
			if ok && (e.is(typeLink) || e.is(typeFolder) || p.writesHome(home, name)) {
				p.protectDeep(at)
			}
		}
		start := home
		if r, err := p.lookups.resolve(home); err == nil {
			start = r.path
		}
		for name := range protected.AtHome() {
			if !p.writesHome(home, name) && len(p.aliases()) == 0 {
				r, err := p.lookups.resolveFrom(start, name)
				if len(r.links) == 0 && (err != nil || !r.entry.is(typeFolder)) {
					continue
				}
			}
			p.protectDeep(join(home, name))
		}
	}
	p.protectConfigured("")
}

// writesHome reports whether a name below a home lies in a write grant.
func (p *protector) writesHome(home, name string) bool {
	for _, w := range p.writes {
		if policy.Within(home, w) || policy.Below(w, home) && policy.Within(name, w[len(home)+1:]) {
			return p.points.access(join(home, name)).write
		}
	}
	return false
}

// hideOwn hides this product's own folders where they can be read and not written, unless they, or files in them, are
// granted by name. In a write grant, where those folders are read-only, the reports in them are hidden: they tell of
// other servers.
func (p *protector) hideOwn() {
	for _, folder := range p.request.Folders {
		p.hide(folder)
	}
	if at := p.request.Reports; at != "" {
		p.hide(at)
	}
	p.hideStore()
	for _, home := range p.ownHomes() {
		for _, name := range protected.Own() {
			p.hide(join(home, name))
		}
		p.hide(join(home, protected.Reports))
	}
}

// hide hides a folder of this product.
func (p *protector) hide(folder string) {
	r, err := p.lookups.resolve(folder)
	if a := p.points.access(folder); missing(err) && a.read && !a.write { // it may come while the server runs
		p.view.Unprotected = append(p.view.Unprotected, folder)
	}
	if err != nil || !r.entry.is(typeFolder) {
		return
	}
	a := p.points.access(r.path)
	if !a.read || a.write || p.points.has(r.path, mayRead|mayWrite|readOnly) {
		return
	}
	p.points.allow(r.path, r.entry, noRead)
	if p.request.Shared { // no rule can be taken back
		p.view.Unprotected = append(p.view.Unprotected, r.path)
	}
}
