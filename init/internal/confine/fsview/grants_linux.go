package fsview

import (
	"os"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A rule is one path of the policy's allowRead, allowWrite, denyRead or denyWrite.
type rule struct {
	key   string // of the policy
	given string // with the '-' of an optional path
	flag  flag   // mayRead, mayWrite, noRead, noWrite
	resolved
	git byGit // of a path that the grant of a .git file opens
}

// grants are the paths of the policy that exist.
type grants struct {
	*tree
	allowed []rule
	denied  []rule
}

// add adds the policy's grants and denials.
func (g *grants) add() {
	fs := &g.request.Policy.Filesystem
	g.each("allowWrite", fs.AllowWrite, mayWrite, g.grant)
	opened := gitFiles{g}.find()
	for _, r := range slices.Concat(g.allowed, opened) {
		g.writes = append(g.writes, r.path)
	}
	g.each("allowRead", fs.AllowRead, mayRead, g.grant)
	// First the grants through no link of the server's: such a link may lead to one of these.
	for i := range g.allowed {
		if r := &g.allowed[i]; g.throughServerLink(&r.resolved, ErrLink) == nil {
			g.allow(r, r.flag)
		}
	}
	g.each("denyRead", fs.DenyRead, noRead, g.deny)
	g.each("denyWrite", fs.DenyWrite, noWrite, g.deny)
	gitFiles{g}.open(opened)
	g.resolveDeferred()
}

func (g *grants) each(key string, paths []string, f flag, add func(r rule, path string, optional bool) error) {
	for _, given := range paths {
		path, optional := strings.CutPrefix(given, "-")
		if err := add(rule{key: key, given: given, flag: f}, path, optional); err != nil {
			g.fail(&os.PathError{Op: key, Path: path, Err: err})
		}
	}
}

func (g *grants) allow(r *rule, f flag) {
	if g.strict {
		f = mayRead
	}
	g.points.allow(r.path, r.entry, f)
	g.points.show(&r.resolved)
}

// resolveDeferred adds the grants that a link inside a write grant leads to, when all others and the denials are known.
func (g *grants) resolveDeferred() {
	for i := range g.allowed {
		r := &g.allowed[i]
		if err := g.allowLink(&r.resolved, r.flag == mayWrite); err != nil {
			err = offers{g.tree}.offered(err, strings.TrimPrefix(r.given, "-"), r.flag == mayWrite)
			g.fail(&os.PathError{Op: r.key, Path: r.given, Err: err})
		} else if g.throughServerLink(&r.resolved, ErrLink) != nil {
			g.allow(r, mayRead)
		}
	}
}

// grant resolves and checks one grant.
func (g *grants) grant(r rule, path string, optional bool) (err error) {
	if r.resolved, err = g.lookups.resolve(path); err != nil {
		if optional && missing(err) {
			return nil
		}
		return err
	}
	write := r.flag == mayWrite
	switch {
	case slices.ContainsFunc(g.request.Leads, func(l order.Lead) bool { return l.Path == path && l.To != r.path }):
		return ErrExchanged
	case r.path == "/":
		return ErrSystem
	case r.entry.is(typeSocket):
		return ErrSocket
	case !r.entry.is(typeFolder) && !r.entry.is(typeFile):
		return ErrSpecial
	case write && (g.guarded(path) || g.guarded(r.path)):
		return ErrProtected
	}
	if write && g.strict {
		g.warn("allowWrite " + path + ": read-only in level strict")
	}
	if g.request.Root && !g.request.may(&r.entry, r.path, needed(&r.entry, write && !g.strict)) {
		return g.request.denied()
	}
	g.allowed = append(g.allowed, r)
	return nil
}

// deny resolves, checks and adds one denial.
func (g *grants) deny(r rule, path string, optional bool) (err error) {
	if policy.Within(path, "/sys") {
		return nil // no server sees it
	}
	r.resolved, err = g.lookups.resolve(path)
	if link := g.throughServerLink(&r.resolved, ErrDenyLink); link != nil { // also where it leads to nothing now
		return link
	}
	if err != nil {
		if optional && missing(err) {
			return nil
		}
		return err
	}
	if r.path == "/" && g.view.HostRoot && r.flag == noRead {
		return ErrSystem // the root itself cannot be covered
	}
	g.points.allow(r.path, r.entry, r.flag)
	g.denied = append(g.denied, r)
	hasOther := r.entry.is(typeFile) && r.entry.links > 1
	if r.flag == noRead && hasOther && !g.inWriteGrant(r.path) && !g.request.Shared {
		g.warn(r.path + " has another name (a hard link): under that one it is not denied")
	}
	return nil
}

// unheld finds the denials inside visible trees: the other grants there stay in force.
func (g *grants) unheld() {
	for i := range g.denied {
		r := &g.denied[i]
		p := g.points[r.path]
		was := p.flags
		p.flags &^= r.flag
		a := g.points.access(r.path)
		p.flags = was
		if a.read && r.flag == noRead || a.write {
			g.view.Unheld = append(g.view.Unheld, Unheld{Key: "filesystem." + r.key, Path: r.path})
		}
	}
}

// folders are those that are granted or implied, without the ones below another of them.
func (g *grants) folders() (all []string) {
	for i := range g.allowed {
		if r := &g.allowed[i]; r.entry.is(typeFolder) && g.points.access(r.path).read {
			all = append(all, r.path)
		}
	}
	for _, path := range g.implied {
		if g.points[path].entry.is(typeFolder) {
			all = append(all, path)
		}
	}
	slices.SortFunc(all, comparePaths)
	outer := ""
	return slices.DeleteFunc(all, func(path string) bool {
		if outer != "" && policy.Within(path, outer) {
			return true
		}
		outer = path
		return false
	})
}

// needed are the rights that a grant of a file or a folder needs, as bits of access(2).
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
