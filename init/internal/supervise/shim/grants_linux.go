package shim

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// This file: notices of grants that give less than they read, or more, and of paths that are not there yet.

// A grantGuide finds the paths that the grants of a launch do not give, and their side effects.
type grantGuide struct {
	*fsview.Viewer
	order  *order.Order
	policy *policy.Policy
	offers *offers // while the notices are made
}

// unmade is about a path that is not there yet, of an argument or of a variable, which may hold a secret: no line has
// that.
func (g *grantGuide) unmade(look fsview.Look, at, variable string) order.Notice {
	n := order.Notice{Kind: order.NoticeArgument, Name: at}
	what := "argument " + at
	strict := g.policy.Level == policy.Strict
	if variable != "" {
		n.Name, what = variable, "the path in variable "+variable
	}
	if look.Sight == fsview.Passing {
		n.Kind, n.Flag, n.Line = order.NoticeLost, "--state NAME", notice.Passing(what, strict)
		return n
	}
	if strict {
		n.Line = notice.UnmadeInStrict(what)
		return n
	}
	for range look.Missing { // as written: a server may have made a link on the way
		at = path.Dir(at)
	}
	folder := ""
	if g.Look(at).Real == look.Real && !g.Broad(look.Real) {
		folder = g.offers.writeOffer(at).Path
	}
	if n.Flag = fsview.OfferWrite + " FOLDER"; folder != "" && variable == "" {
		n.Flag = fsview.OfferWrite + " " + text.Shell(folder)
	}
	if n.Line = notice.Unmade(what, folder); folder != "" && variable != "" {
		n.Line = notice.UnmadeVariable(what)
	}
	return n
}

// mayBePath reports whether a word that is not there can be the path of a file to make: no script of a shell, no pair
// of paths. A relative one may be anything, and counts if the folder around it is there.
func mayBePath(v *fsview.Viewer, at string, look *fsview.Look, relative bool) bool {
	program, _, several := strings.Cut(at, " ")
	return look.Missing == 0 || !strings.ContainsAny(at, ":;&|<>$*?\"'`\n") && (!relative || look.Missing == 1) &&
		!(several && v.Look(program).Missing == 0)
}

// named reports whether the policy names a variable by its whole name.
func (g *grantGuide) named(variable string) bool {
	return slices.Contains(g.policy.EnvVars, variable) ||
		slices.ContainsFunc(g.policy.Env, func(v policy.Variable) bool { return v.Name == variable })
}

// folder is a folder to grant for writing, or "" for one that the plan would refuse, or that is no advice.
func (g *grantGuide) folder(at string) string {
	if g.Broad(at) {
		return ""
	}
	o := g.offers.writeOffer(at)
	return o.Path
}

// notices are about the policy's grants.
func (g *grantGuide) notices() (all []order.Notice) {
	for _, d := range g.View.Daemons {
		all = append(all, order.Notice{Kind: order.NoticeDaemon, Name: d.Path,
			Line: notice.Daemon(g.written("allowUnixSockets", d.Path), d.Program)})
	}
	if g.Open {
		return all
	}
	for _, given := range g.policy.Filesystem.AllowWrite {
		at := strings.TrimPrefix(given, "-")
		if look := g.Look(at); look.Sight == fsview.Seen && !look.Folder && g.Writes(look.Real) &&
			!g.Writes(path.Dir(look.Real)) {
			folder := g.folder(path.Dir(look.Real))
			n := order.Notice{Kind: order.NoticeSingle, Name: at, Line: notice.Single(at, folder)}
			if folder != "" {
				n.Flag = "--allow-write " + text.Shell(folder)
			}
			all = append(all, n)
		}
	}
	return slices.Concat(all, g.held(), g.links())
}

// mostHeld is how many folders of a grant are tried for one that a grant of its own opens.
const mostHeld = 8

// held are about write grants with folders that are read-only because of files that may lie in them.
func (g *grantGuide) held() (all []order.Notice) {
	of := map[string][]fsview.Held{}
	var grants []string
	for _, h := range g.View.Held {
		if of[h.Grant] == nil {
			grants = append(grants, h.Grant)
		}
		of[h.Grant] = append(of[h.Grant], h)
	}
	for _, grant := range grants {
		held := of[grant]
		if isWhole(held, grant) {
			continue // which has a line of its own
		}
		first, opens := held[0], false
		for _, h := range held[:min(len(held), mostHeld)] {
			if h.Opens() {
				first, opens = h, true
				break
			}
		}
		n := order.Notice{Kind: order.NoticeHeld, Name: first.Path,
			Line: notice.Held(len(held), grant, first.Path, first.Why, opens)}
		if opens {
			n.Flag = "--allow-write " + text.Shell(first.Path)
		}
		all = append(all, n)
	}
	return all
}

func isWhole(held []fsview.Held, grant string) bool {
	return slices.ContainsFunc(held, func(h fsview.Held) bool { return h.Path == grant })
}

// readOnly are the lines about write grants of which nothing can be written.
func (g *grantGuide) readOnly() (lines []string) {
	for _, h := range g.View.Held {
		if h.Path == h.Grant {
			lines = append(lines, notice.WholeGrant(g.written("allowWrite", h.Grant), h.Why))
		}
	}
	if paths := g.policy.Filesystem.AllowWrite; g.policy.Level == policy.Strict && len(paths) > 0 {
		first := g.written("allowWrite", strings.TrimPrefix(paths[0], "-"))
		lines = append(lines, notice.InStrict(first, len(paths)-1))
	}
	return lines
}

// written is an entry of the policy as the user wrote that: behind a flag, or as the policy has it.
func (g *grantGuide) written(key, path string) string {
	return cmp.Or(g.order.Place(key, path), key+" "+path)
}

// mostLinked is how many grants are searched for links.
const mostLinked = 8

// links are about packages that are links out of a grant for reading. Those in a write grant may be a server's.
func (g *grantGuide) links() (all []order.Notice) {
	grants := g.policy.Filesystem.AllowRead
	for _, given := range grants[:min(len(grants), mostLinked)] {
		at := strings.TrimPrefix(given, "-")
		link, to, others := g.LinksOut(at)
		if link == "" || g.Writes(g.Look(at).Real) || g.Broad(to) {
			continue
		}
		if o := g.offers.offer(to); o.Flag == "" {
			continue
		}
		all = append(all, order.Notice{Kind: order.NoticeLinks, Name: link, Flag: "--allow-read " + text.Shell(to),
			Line: notice.LinksOut(link, to, others)})
	}
	return all
}
