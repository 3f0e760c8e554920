package pipeline

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Decision is the policy of a launch: the document, the flags over it, the profile, and all defaults.
type Decision struct {
	*order.Settled
	Notes []string // lines for standard error

	here    *launchflags.Here
	profile *profile.Profile // nil for none
	places  []order.Place
	notices []order.Notice
	leads   []order.Lead
}

// A granted policy is one with a profile.
type granted struct {
	profile.Applied
	added map[string]int // how many of a key's paths the profile gave: the first ones
}

// policy reads the document and the flags, and adds a profile, which may be nil. Paths of flags are still relative.
func (l *Line) policy(s *Start, p *profile.Profile, here *launchflags.Here) (g granted, why []string) {
	given, why := l.Policy(here.Dir, here.Home)
	if len(why) > 0 || p == nil {
		return granted{Applied: profile.Applied{Policy: given}}, why
	}
	home := here.Home
	if home == "" { // some clients start servers without HOME
		home = platform.UserHome("")
	}
	applied, err := p.Apply(given, s.arguments(), here.Env, home, here.Dir)
	if err != nil {
		return g, []string{err.Error()}
	}
	g = granted{Applied: applied, added: map[string]int{}}
	// Later paths are looked up first, and those of the flags are.
	fs := &g.Policy.Filesystem
	g.inFront("filesystem.allowRead", &fs.AllowRead, len(given.Filesystem.AllowRead))
	g.inFront("filesystem.allowWrite", &fs.AllowWrite, len(given.Filesystem.AllowWrite))
	return g, nil
}

// inFront moves the paths that a profile added in front of those that were given.
func (g *granted) inFront(key string, list *[]string, given int) {
	g.added[key] = len(*list) - given
	*list = slices.Concat((*list)[given:], (*list)[:given])
}

// Effective returns the policy of a launch by program without a look at the machine.
func (l *Line) Effective(s *Start, program policy.Program) (policy.Policy, []string) {
	_, err := launchflags.Folder()
	if err != nil {
		return policy.Policy{}, []string{err.Error()}
	}
	here, err := l.Here()
	if err != nil {
		return policy.Policy{}, []string{err.Error()}
	}
	prof, err := l.profileOf(s, "")
	if err != nil {
		return policy.Policy{}, []string{err.Error()}
	}
	g, why := l.policy(s, prof, here)
	if len(why) > 0 {
		return policy.Policy{}, why
	}
	p, err := g.Policy.Absolute(here.Dir, here.Home)
	if err == nil {
		err = p.Validate()
	}
	if err != nil {
		return p, l.Source.Lines(err, l.FlagOf)
	}
	return p.Effective(program), nil
}

// Decide makes the policy of a launch, or says why there is none. ready is the package where it is known, for the
// profile of a start of several packages.
func (l *Line) Decide(s *Start, ready *install.Ready) (*Decision, []string) {
	if err := l.Check(); err != nil {
		return nil, []string{cli.Hinted("run", err.Error())}
	}
	owner := ""
	if ready != nil {
		owner = ready.Owner
	}
	d := &Decision{}
	var err error
	if d.profile, err = l.profileOf(s, owner); err == nil {
		d.here, err = l.Here()
	}
	if err != nil {
		return nil, []string{err.Error()}
	}
	g, why := l.policy(s, d.profile, d.here)
	if len(why) > 0 {
		return nil, why
	}
	if d.Settled, why = l.Settle(g.Policy, policy.Run, d.here); len(why) > 0 {
		return nil, why
	}
	l.Report.reach(d.here.Order(d.Settled, s.Command), nil)
	if d.Policy.State != "" {
		l.flags.Stderr.Kept(cli.StatesVariable)
	}
	env, _ := d.Policy.Environ(d.here.Env)
	r := review{line: l, policy: &d.Policy, home: order.Lookup(env, "HOME"), profile: d.profile, added: g.added}
	if lines := r.mistakes(); len(lines) > 0 {
		return nil, lines
	}
	r.noteOwner(d.here.PolicyFile)
	r.note(s.Command)
	if l.flags.Bare {
		r.noteFolder(s.Command[0])
	}
	d.Notes, d.places, d.leads = r.notes, r.places(), g.Leads
	d.notices = slices.Concat(g.Notices, r.forTheEnd(s.Command))
	if l.switches.TTY && l.switches.StdoutGuard { // a terminal takes lines apart and echoes what is typed
		return nil, []string{cli.Hinted("run", "--tty and --stdout-guard: only one of them")}
	}
	return d, nil
}
