package doctor

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Check is the result of one trial.
type Check struct {
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail"` // one line
	Fix    string `json:"fix"`    // the steps to mend it, in one or more lines; "" where there is nothing to do
}

// State says how far a thing works.
type State string

// The states of a Check.
const (
	Works   State = "ok"
	Limited State = "limited" // less than there could be; servers run
	Missing State = "missing"
)

func works(detail string) Check        { return Check{State: Works, Detail: detail} }
func limited(detail, fix string) Check { return Check{State: Limited, Detail: detail, Fix: fix} }
func missing(detail, fix string) Check { return Check{State: Missing, Detail: detail, Fix: fix} }

// A line is a check by its name.
type line struct {
	name  string
	check func(*result) Check
}

// hosts is the name of the check of a list of hosts.
const hosts = "Hosts by name"

// HoldsHosts reports whether the machine holds a list of hosts.
func (m *Machine) HoldsHosts() bool {
	return slices.ContainsFunc(m.Checks, func(c Check) bool { return c.Name == hosts && c.State == Works })
}

// lines are the checks of an operating system, in the order in which a person should read them.
func lines(os string) []line {
	limits := line{"Rlimits", proved(rlimits)}
	tree, reachable := line{"Timeout and whole-tree kill", treeKill}, line{"Confinement reachable", confinement}
	switch os {
	case "linux":
		return []line{{"OS", system}, {"User namespaces", namespaces}, {"Cgroups v2", proved(cgroups)},
			{"Landlock", landlock}, {"Seccomp", seccomp},
			{hosts, hostsByName}, limits, tree, reachable}
	case "windows":
		limits.name = "Job Objects"
	}
	return []line{{"OS", system}, limits, {"Resource limits", proved(resources)}, {"Network isolation", noNetwork},
		{"Filesystem", noFiles}, tree, reachable, {"Recommendation", recommendation}}
}

// proved is a check of the best trial, which is missing where no trial proved anything.
func proved(check func(r *result, best *Trial) Check) func(*result) Check {
	return func(r *result) Check {
		best, reached := r.reached()
		if reached == policy.None {
			return missing(diagnose.Untried, "")
		}
		return check(r, best)
	}
}

func (r *result) checks() []Check {
	var all []Check
	for _, l := range lines(r.environment.OS) {
		c := l.check(r)
		c.Name = l.name
		all = append(all, c)
	}
	return all
}

func system(r *result) Check {
	return works(strings.TrimSpace(r.environment.OS+" "+r.environment.Kernel) + " (" + r.arch + ")")
}

// rlimits are the limits of each process, which the server's process read back; or those of the job of all processes.
func rlimits(r *result, best *Trial) Check {
	l := best.layer(order.Limits)
	if l.State != order.Proved {
		return missing(sentence(l.Reason, l.Effect), "")
	}
	var lower []string
	for _, fact := range l.Facts {
		if limit, inherited := strings.CutSuffix(fact.Name, inheritedLimit); inherited {
			lower = append(lower, limit+" "+fact.Got)
		}
	}
	if len(lower) > 0 {
		return limited("supported; hard limits that were inherited are lower than a policy's: "+
			strings.Join(lower, ", "), diagnose.HardLimits)
	}
	if gone := lacking(l); gone != nil && r.environment.OS == "linux" {
		fix := diagnose.CountedGroup
		if r.environment.Root && r.full.ran() {
			fix = diagnose.CountedRoot
		}
		return limited("supported, but for "+gone.Name+": "+gone.Reason, fix)
	}
	if gone := fact(l, "flags of the inner job"); gone != nil && gone.Got == "" {
		return limited("supported, but what they hold is not known: "+gone.Reason, "")
	}
	return works("supported")
}

// inheritedLimit is how the limits' facts name one that the launcher itself has from somewhere.
const inheritedLimit = " (the launcher's own hard limit)"

// treeKill is the only check for which a server runs.
func treeKill(r *result) Check {
	switch {
	case !r.tree.tried:
		return missing(diagnose.Untried, "")
	case r.tree.problem != "":
		return missing(r.tree.problem, "")
	}
	return works("supported")
}

// confinement is the best confinement that a trial proved.
func confinement(r *result) Check {
	_, reached := r.reached()
	starts := r.full.ran() || r.usual.ran()
	switch {
	case reached == policy.Full:
		return works("full")
	case starts && reached == policy.Reduced:
		return limited("reduced — Landlock and seccomp hold the files and the network; "+
			"other processes and paths can be seen", "")
	case starts && r.environment.OS != "linux":
		return limited(string(reached)+" — no barrier for files, network and system calls", "")
	case starts:
		return limited(string(reached), "")
	case reached != policy.None:
		return missing(string(reached)+" — level standard asks for reduced and refuses to start: "+r.usual.why(),
			diagnose.StartUnconfined)
	}
	fix := ""
	if r.usual.Refused != nil {
		fix = r.usual.Refused.Hint
	}
	return missing("none — "+r.usual.why(), fix)
}

// lacking is the first fact of a layer that this machine could not give, or nil.
func lacking(l *order.LayerReport) *order.Fact {
	return l.Fact(func(f *order.Fact) bool { return f.Got == "" })
}

func fact(l *order.LayerReport, name string) *order.Fact {
	return l.Fact(func(f *order.Fact) bool { return f.Name == name })
}

// sentence joins a reason and its effect.
func sentence(reason, effect string) string {
	if effect == "" {
		return reason
	}
	return reason + " — " + effect
}
