package shim

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A guide finds the paths and variables that the server of one launch does not get, and says them.
type guide struct {
	order   *order.Order
	policy  *policy.Policy
	launch  *launch.Launch
	sandbox *launch.Sandbox
	offers  *offers // while the notices are made

	held, unwritable []string // as in notice.End
	released         time.Time
	lacks            lacks
}

// notices are those of a launch that mcp-sandbox run made: its own, and those of the planned view.
func (g *guide) notices() []order.Notice {
	if !g.order.Guided {
		return nil
	}
	direct := g.sandbox.Shared() && g.policy.Level != policy.LevelNetwork && g.policy.Level != policy.Privileged
	own := slices.DeleteFunc(slices.Clone(g.order.Notices), func(n order.Notice) bool {
		return n.Kind == order.NoticeNetwork && g.hasNetwork() ||
			n.Kind == order.NoticeProxy && direct || n.Kind == order.NoticeApart && g.sandbox.Shared()
	})
	for i := range own {
		if own[i].Kind == order.NoticeProfile {
			g.offers.check(&own[i])
		}
	}
	v := &fsview.Viewer{View: g.sandbox.View, Shared: g.sandbox.Shared(), Home: order.Lookup(g.order.Env, "HOME"),
		Open: g.open()}
	grants := &grantGuide{v, g.order, g.policy, g.offers}
	cwd := g.cwdNotice(v)
	dir := v.View.Cwd // where the server's relative words begin
	if len(cwd) > 0 || g.policy.Cwd == "" && dir != g.order.Dir {
		dir = ""
	}
	arguments := g.argumentNotices(grants, dir)
	g.unwritable = g.readOnly()
	g.held = slices.Concat(g.heldCauses(v, len(arguments) > 0), g.gitSettings(v))
	return slices.Concat(own, grants.notices(), arguments, g.variableNotices(grants), cwd, g.protectedNotices())
}

// hasNetwork reports whether the server has the host's network.
func (g *guide) hasNetwork() bool {
	return g.policy.Level == policy.LevelNetwork || g.policy.Level == policy.Privileged || g.open()
}

// open reports whether nothing holds back files and network.
func (g *guide) open() bool { return g.sandbox.Shared() && g.sandbox.Confinement != policy.Reduced }

// cwdNotice is about the launcher's working folder, if the policy names none and the server starts elsewhere.
func (g *guide) cwdNotice(v *fsview.Viewer) []order.Notice {
	dir := g.order.Dir
	if g.policy.Cwd != "" || dir == "/" || dir == "" || v.Sees(dir) != fsview.Hidden {
		return nil
	}
	o := g.offers.offer(dir)
	return []order.Notice{{Kind: order.NoticeCwd, Name: dir, Flag: o.typed(),
		Line: notice.Cwd(dir, v.View.Cwd, o.flag())}}
}

func (g *guide) argumentNotices(v *grantGuide, dir string) (all []order.Notice) {
	whole := notice.Arguments(g.order.Command[1:], "")
	for _, at := range notice.Arguments(g.order.Command[1:], dir) {
		look := v.Look(at)
		if g.toldByProfile(at) || !mayBePath(v.Viewer, at, &look, !slices.Contains(whole, at)) {
			continue
		}
		n := order.Notice{Kind: order.NoticeArgument, Name: at}
		if look.Missing > 0 && v.View.State == "" && notice.IsScript(g.order.Command, at) {
			n.Line = notice.NoScript(at)
			all = append(all, n)
			continue
		}
		switch look.Sight {
		case fsview.EmptyHome:
			if v.View.State != "" { // the home that was asked for
				continue
			}
			o := g.offers.offer(at)
			n.Flag, n.Line = o.typed(), notice.HomeArgument(at, o.flag())
		case fsview.Hidden:
			grant := notice.GrantFor(g.order.Command, at, v.Home)
			if v.Sees(grant) == fsview.Seen { // and a link leads out of that
				grant = notice.GrantFor(g.order.Command, look.Real, v.Home)
			}
			if grant != at && notice.IsScript(g.order.Command, at) {
				grant = packageOf(v.Viewer, grant)
			}
			o := g.offers.offer(grant, at)
			n.Flag, n.Line = o.typed(), notice.Argument(at, o.flag(), o.writes)
		case fsview.Unmade, fsview.Passing:
			n = v.unmade(look, at, "")
		default:
			continue
		}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// toldByProfile reports whether there is a line already about a grant of that name that the profile does not make.
func (g *guide) toldByProfile(name string) bool {
	return slices.ContainsFunc(g.order.Notices, func(n order.Notice) bool {
		return n.Kind == order.NoticeProfile && n.Name == name
	})
}

// variableNotices are about values of the server's variables. A notice has the name of the variable alone.
func (g *guide) variableNotices(v *grantGuide) (all []order.Notice) {
	for _, p := range notice.PathVariables(g.order.Env, v.named) {
		look := v.Look(p.Path)
		if g.toldByProfile("variable " + p.Name) {
			continue
		}
		n := order.Notice{Kind: order.NoticeArgument, Name: p.Name}
		switch look.Sight {
		case fsview.Hidden:
			o := g.offers.offer(p.Path) // which may be a secret: no line has the path
			n.Flag, n.Line = o.Flag, notice.Variable(p.Name, o.Flag, o.writes)
			if "$"+p.Name == policy.AgentSocket && o.Flag == fsview.OfferSocket &&
				slices.Contains(g.policy.EnvVars, p.Name) {
				n.Line = notice.AgentVariable(p.Name, o.Flag)
			}
		case fsview.Unmade, fsview.Passing:
			n = v.unmade(look, p.Path, p.Name)
		default:
			continue
		}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	for _, text := range v.View.Uncertified {
		variable, _, _ := strings.Cut(text, " ")
		all = append(all, order.Notice{Kind: order.NoticeArgument, Name: variable, Line: notice.Uncertified(text)})
	}
	return all
}

// protectedNotices are about paths that the server may not write in its write grants.
func (g *guide) protectedNotices() (all []order.Notice) {
	left := mostAsked
	for _, at := range g.sandbox.View.Protected {
		n := order.Notice{Kind: order.NoticeProtected, Name: at, Line: notice.Protected(at)}
		if path.Base(at) == ".git" && left > 0 {
			left--
			o := g.offers.writeOffer(at)
			n.Flag, n.Line = o.typed(), notice.Granted(at, o.flag())
		}
		all = append(all, n)
	}
	return all
}

// linesAtStart are the lines on standard error when the server is released.
func (g *guide) linesAtStart(e *order.Enforced) []string {
	var lowered []string
	switch ladder := &g.launch.Ladder; {
	case ladder.Confinement == policy.None:
		lowered = append(lowered, notice.NothingConfined)
	case ladder.Why() != "":
		lowered = append(lowered, notice.Lowered(ladder.Confinement, g.policy.Level, ladder.Why()))
	}
	if keys := launch.NotHeld(g.sandbox); len(keys) > 0 {
		lowered = append(lowered, notice.NothingHolds(keys))
	}
	if g.order.Guided {
		grants := &grantGuide{Viewer: &fsview.Viewer{View: g.sandbox.View}, order: g.order, policy: g.policy}
		lowered = append(lowered, grants.readOnly()...)
	}
	return notice.AtStart(g.order, e, lowered)
}

// lineAtEnd is why a server ended, if not by itself, or the possible causes of an early end; "" for others.
func (g *guide) lineAtEnd(x *order.Exited, e *order.Enforced) string {
	end := notice.End{Exited: x, After: time.Since(g.released), Policy: g.policy, Held: g.held,
		Unwritable: g.unwritable}
	if g.order.Guided {
		end.Found = g.lacks.found()
	}
	return end.Line(g.order, e)
}
