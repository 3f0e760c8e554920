package fsview

import (
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// An Explained is a View with the statements that led to it.
type Explained struct {
	View  *View
	tree  *tree
	rules *grants
}

// A Cause is the statement that decided about a path.
type Cause struct {
	Kind CauseKind
	At   string // the path of the statement, which is the asked path or a folder above; "" where there is none
	By   string // a JSON pointer to the policy's entry; "" where the policy says nothing
	Why  string // of a folder that is held as a whole
}

// A CauseKind is the origin of a [Cause].
type CauseKind uint8

// The kinds.
const (
	ByNothing   CauseKind = iota // no statement covers the path
	ByRule                       // an entry of the policy
	ByBase                       // every server sees the path
	ByImplied                    // the command needs the path
	ByPackage                    // the path is of the package of this launch
	ByStage                      // the launch installs a package there
	ByLevel                      // level strict has no write grants
	ByProtected                  // other programs of the user execute or trust the files there
	ByOurs                       // a folder of this product
	ByChannel                    // a socket or named pipe, through which read-only is no barrier
	ByStandIn                    // the server has something of its own there
)

// reading is the cause for which the server reads, or does not read, a path of the host.
func (e *Explained) reading(path string) Cause {
	if e.tree.request.Shared {
		return e.sharedCause(path, false)
	}
	at, granted := e.tree.points.decide(path, reading)
	switch {
	case granted:
		return e.grant(at)
	case e.tree.points.has(at, noRead):
		return e.denial(at)
	case at != "":
		return Cause{Kind: ByStandIn, At: at}
	}
	return Cause{}
}

// writing is the cause for which the server writes, or does not write, a path of the host that it reads.
func (e *Explained) writing(path string) Cause {
	if e.tree.request.Shared {
		return e.sharedCause(path, true)
	}
	at, granted := e.tree.points.decide(path, writing)
	switch {
	case granted:
		return e.grant(at)
	case e.tree.points.has(at, noRead):
		return e.denial(at)
	case e.tree.points.has(at, noWrite):
		return e.rules.entryOf(e.rules.denied, at, noWrite)
	case at != "":
		return protecting(e.View, at)
	}
	if e.tree.strict {
		for q := path; q != "/"; q = dirOf(q) {
			if c := e.rules.entryOf(e.rules.allowed, q, mayWrite); c.Kind == ByRule {
				return Cause{Kind: ByLevel, At: q, By: "/level"}
			}
		}
	}
	return Cause{}
}

// protecting is the cause of a path that is protected by its name, or held because of the files that may lie there.
func protecting(v *View, path string) Cause {
	held := func(h Held) bool { return h.Path == path }
	if i := slices.IndexFunc(v.Held, held); i >= 0 {
		return Cause{Kind: ByProtected, At: path, Why: v.Held[i].Why}
	}
	return Cause{Kind: ByProtected, At: path}
}

// sharedCause is the cause for a server in the host's root: the rule with the longest path.
func (e *Explained) sharedCause(path string, write bool) Cause {
	if n := e.View.ruleFor(path, write); n != nil {
		return e.grant(n.Path)
	}
	return Cause{}
}

// ruleFor is the place of the innermost rule that gives a right to a path; nil if none does.
func (v *View) ruleFor(path string, write bool) (best *Node) {
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if n.Kind == Bind && policy.Within(path, n.Path) && (n.Write || n.Device || !write) &&
			(best == nil || len(n.Path) > len(best.Path)) {
			best = n
		}
	}
	return best
}

// grant is the cause of a point that lets the server read or write.
func (e *Explained) grant(path string) Cause {
	for _, f := range [...]flag{mayWrite, mayRead} {
		if c := e.rules.entryOf(e.rules.allowed, path, f); c.Kind == ByRule {
			return c
		}
	}
	switch {
	case path == "/" && e.View.HostRoot:
		return Cause{Kind: ByRule, At: path, By: "/filesystem/default"}
	case e.tree.points.has(path, socket):
		return Cause{Kind: ByRule, At: path, By: e.rules.socketEntry(path)}
	case path == e.tree.request.Package.Path:
		return Cause{Kind: ByPackage, At: path}
	case path == e.tree.request.Stage.Path:
		return Cause{Kind: ByStage, At: path}
	case slices.Contains(e.tree.implied, path):
		return Cause{Kind: ByImplied, At: path}
	}
	return Cause{Kind: ByBase, At: path}
}

// denial is the cause of a point that hides the host's file.
func (e *Explained) denial(path string) Cause {
	if c := e.rules.entryOf(e.rules.denied, path, noRead); c.Kind == ByRule {
		return c
	}
	if p := e.tree.points[path]; p.entry.is(typeFIFO) || p.entry.is(typeSocket) {
		return Cause{Kind: ByChannel, At: path}
	}
	return Cause{Kind: ByOurs, At: path}
}

// entryOf is the policy's first entry of a kind that leads to a path.
func (g *grants) entryOf(rules []rule, path string, f flag) Cause {
	fs := &g.request.Policy.Filesystem
	lists := map[string][]string{"allowRead": fs.AllowRead, "allowWrite": fs.AllowWrite, "denyRead": fs.DenyRead,
		"denyWrite": fs.DenyWrite}
	for i := range rules {
		if r := &rules[i]; r.path == path && r.flag == f {
			at := strconv.Itoa(slices.Index(lists[r.key], r.given))
			return Cause{Kind: ByRule, At: path, By: "/filesystem/" + r.key + "/" + at}
		}
	}
	return Cause{}
}

// socketEntry is a pointer to the entry of a socket that the policy allows.
func (g *grants) socketEntry(path string) string {
	for i, given := range g.request.Policy.Network.AllowUnixSockets {
		if given[0] == '-' {
			given = given[1:]
		}
		if r, err := g.lookups.resolve(given); err == nil && r.path == path {
			return "/network/allowUnixSockets/" + strconv.Itoa(i)
		}
	}
	return ""
}
