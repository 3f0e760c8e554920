package pipeline

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/judge"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
)

// Order makes the order of a launch. ready is the package that is started; nil: the command runs as it is.
func (l *Line) Order(s *Start, d *Decision, ready *install.Ready) *order.Order {
	o := d.here.Order(d.Settled, s.Command)
	if d.profile != nil {
		o.Profile, o.Leads = d.profile.Package, d.leads
	}
	o.Places, o.Notices, o.EnvFiles = d.places, d.notices, l.files.paths()
	o.Opens = judge.Opens(d.Written(), o.Maker())
	o.Verbose, o.TTY, o.StdoutGuard = l.switches.Verbose, l.switches.TTY, l.switches.StdoutGuard
	o.Quiet, o.Guided = l.flags.Stderr.Quiet, true
	l.Report.to(o)
	if ready == nil {
		return o
	}
	o.Command, o.Package = ready.Command, ready.ID()
	for _, entry := range ready.Env {
		o.Env = setVariable(o.Env, entry)
	}
	if ready.PathDir != "" {
		o.Env = setVariable(o.Env, "PATH="+ready.Path(order.Lookup(o.Env, "PATH")))
	}
	return o
}

// setVariable is an environment in which NAME=VALUE holds.
func setVariable(env []string, entry string) []string {
	name, _, _ := strings.Cut(entry, "=")
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, name+"=") })
	return append(env, entry)
}
