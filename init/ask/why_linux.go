package ask

import (
	"errors"
	"os"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/internal/why/files"
	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Why answers a question about the launch that [reexec.Run] would make of an order, in the confinement with which the
// order begins. Nothing is started. The error is that of a launch that would be refused, or of the question.
func Why(o *order.Order, q order.Question) (order.Answer, error) {
	err := reexec.Unprivileged()
	if err == nil {
		err = q.Check()
	}
	if err != nil {
		return order.Answer{}, err
	}
	e, err := shim.Foreseen(o, (*launch.Launch).Explain)
	if err != nil {
		return order.Answer{}, err
	}
	p := e.Policy
	if p.Level == policy.Strict && p.Subprocess.Allow == policy.No {
		p.Subprocess.Allow = policy.Unset // the level's own default
	}
	var a order.Answer
	switch {
	case q.Host != "":
		a = askHost(e, &p, &q)
	case q.Syscall != "":
		a, err = askCall(e, &p, q.Syscall)
	case q.Variable != "":
		a = hosts.Variable(&p, launcherEnv(o), q.Variable)
	default:
		a = files.Ask(whyLaunch(o, e), q)
	}
	if q.Path == "" && q.Socket == "" {
		checkPatch(o, &a)
	}
	if a.Opens == nil {
		a.Opens = []string{}
	}
	return a, err
}

// whyLaunch is an order's launch, to be asked about files.
func whyLaunch(o *order.Order, e *launch.Explained) *files.Launch {
	replan := func(p policy.Policy) (*files.Launch, error) {
		changed, err := withPolicy(o, p)
		if err != nil {
			return nil, err
		}
		again, err := shim.Foreseen(changed, (*launch.Launch).Explain)
		if err != nil {
			return nil, err
		}
		return whyLaunch(changed, again), nil
	}
	return &files.Launch{Plan: e.Files, Policy: e.Policy, Open: e.Open, NoUnix: !e.Unfiltered && e.Filter.NoUnix,
		Landlock: e.Landlock, Replan: replan}
}

// withPolicy is an order with another policy.
func withPolicy(o *order.Order, p policy.Policy) (*order.Order, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	changed := *o
	changed.Policy = p.AppendJSON(nil)
	return &changed, nil
}

// askHost asks about a host in the confinement of a plan. The list of a policy holds in full and in reduced.
func askHost(e *launch.Explained, p *policy.Policy, q *order.Question) order.Answer {
	open := p.Level == policy.LevelNetwork || p.Level == policy.Privileged
	switch {
	case !open && e.Open && e.Unfiltered:
		return order.Answer{Allowed: order.ActAllowed, By: order.NoEntry,
			Text: q.Host + " is held back by nothing: confinement " + string(e.Confinement) + " has the host's network"}
	case !open && e.Open:
		return order.Answer{Allowed: order.ActDenied, Reason: order.ByPolicy, By: order.NoEntry,
			Text: q.Host + " is out of reach: in confinement " + string(e.Confinement) +
				" the filter refuses every socket of the network, but in level network"}
	}
	var m hosts.Machine
	m.Own, _ = platform.OwnAddresses() // without these an own address is one like others
	port := q.Port
	if port == 0 {
		port = 443
	}
	if proxy, _ := dial.ProxyFrom(os.Getenv); !proxy.Uses(q.Host, port) { // else the proxy looks up the name
		m.Found = q.Found
	}
	return m.Host(p, q.Host, q.Port)
}

// askCall asks about a system call.
func askCall(e *launch.Explained, p *policy.Policy, name string) (order.Answer, error) {
	if e.Unfiltered {
		return hosts.Filtered(&policy.Policy{Level: policy.Privileged}, e.Filter, name)
	}
	return hosts.Filtered(p, e.Filter, name)
}

// launcherEnv are the variables that the order was made from. Of those that are dropped only the names are known.
func launcherEnv(o *order.Order) []string {
	env := slices.Clone(o.Env)
	for _, name := range o.Dropped {
		env = append(env, name+"=dropped")
	}
	return env
}

// checkPatch plans the launch with the change that an answer suggests, has its network checked as a launch does, and
// takes the change back where that launch would be refused.
func checkPatch(o *order.Order, a *order.Answer) {
	if a.Patch == nil {
		return
	}
	_, after, err := hosts.Fit(o.Policy, a.Patch)
	var p policy.Policy
	if err == nil {
		p, err = policy.Parse(after)
	}
	var changed *order.Order
	if err == nil {
		changed, err = withPolicy(o, p.Effective(policy.Run))
	}
	var planned *launch.Explained
	if err == nil {
		planned, err = shim.Foreseen(changed, (*launch.Launch).Explain)
	}
	if err == nil {
		err = shim.CheckNetwork(&planned.Policy)
	}
	if err != nil {
		a.Flags, a.Patch, a.Opens = nil, nil, nil
		a.Text += "; no launch would grant it: " + whole(err)
	}
}

// whole is the text of an error on one line.
func whole(err error) string {
	if errs, ok := errors.AsType[policy.Errors](err); ok && len(errs) > 0 {
		return errs[0].Error()
	}
	return err.Error()
}
