package launcher

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// checks are the lines for the findings' operating system.
func (f *findings) checks() []Check {
	switch f.os {
	case "linux":
		return []Check{f.system(), f.namespaces(), f.cgroups(), f.landlock(), f.seccomp(), f.rlimits("Rlimits"), f.killing(), f.confinement()}
	case "windows":
		return []Check{f.system(), f.rlimits("Job Objects"), f.resources(), f.noNetwork(), f.noFiles(), f.killing(), f.confinement(), f.recommendation()}
	}
	return []Check{f.system(), f.rlimits("Rlimits"), f.resources(), f.noNetwork(), f.noFiles(), f.killing(), f.confinement(), f.recommendation()}
}

func (f *findings) system() Check {
	return Check{"OS", Works, strings.TrimSpace(f.os+" "+f.kernel) + " (" + f.arch + ")", ""}
}

// rlimits are the limits of each process, read back by the server's own; or of the job that holds them all.
func (f *findings) rlimits(name string) Check {
	best, reached := f.reached()
	if reached == policy.None {
		return Check{name, Missing, untried, ""}
	}
	l := best.layer(order.Limits)
	if l.State != order.Proved {
		return Check{name, Missing, sentence(l.Reason, l.Effect), ""}
	}
	var lower []string
	for _, fact := range l.Facts {
		if what, inherited := strings.CutSuffix(fact.Name, inheritedLimit); inherited {
			lower = append(lower, what+" "+fact.Got)
		}
	}
	if len(lower) > 0 {
		return Check{name, Limited, "supported; hard limits that were inherited are lower than a policy's: " + strings.Join(lower, ", "), fixHardLimits}
	}
	if gone := lacking(l); gone != nil && f.os == "linux" {
		return Check{name, Limited, "supported, but for " + gone.Name + ": " + gone.Reason, f.fixCounting()}
	}
	if gone := fact(l, "flags of the inner job"); gone != nil && gone.Got == "" {
		return Check{name, Limited, "supported, but what they hold is not known: " + gone.Reason, ""}
	}
	return Check{name, Works, "supported", ""}
}

// inheritedLimit is how the limits' facts name one that the launcher itself has from somewhere.
const inheritedLimit = " (the launcher's own hard limit)"

const untried = "not tried: no launch was possible"

// killing is the one check for which a process of the server's runs.
func (f *findings) killing() Check {
	const name = "Timeout and whole-tree kill"
	switch {
	case !f.tree.tried:
		return Check{name, Missing, untried, ""}
	case f.tree.problem != "":
		return Check{name, Missing, f.tree.problem, ""}
	}
	return Check{name, Works, "supported", ""}
}

// confinement is what the trials came to.
func (f *findings) confinement() Check {
	const name = "Confinement reachable"
	_, reached := f.reached()
	starts := f.full.ran() || f.usual.ran()
	switch {
	case reached == policy.Full:
		return Check{name, Works, "full", ""}
	case starts && reached == policy.Reduced:
		return Check{name, Limited, "reduced — Landlock and seccomp hold the files and the network; other processes and paths can be seen", ""}
	case starts && f.os != "linux":
		return Check{name, Limited, string(reached) + " — no barrier for files, network and system calls", ""}
	case starts:
		return Check{name, Limited, string(reached), ""}
	case reached != policy.None:
		return Check{name, Missing, string(reached) + " — level standard asks for reduced and refuses to start: " + f.usual.why(),
			"`mcp-sandbox run --min-confinement limits` starts a server all the same, with no barrier for files and network"}
	}
	fix := ""
	if f.usual.refused != nil {
		fix = f.usual.refused.Hint
	}
	return Check{name, Missing, "none — " + f.usual.why(), fix}
}

// why is a refusal in one line.
func (o *outcome) why() string {
	if o.refused == nil {
		return "it was not tried"
	}
	return o.refused.Error()
}

// lacking is the first fact of a layer that this machine could not give, or nil.
func lacking(l *order.LayerReport) *order.Fact {
	for i := range l.Facts {
		if l.Facts[i].Got == "" {
			return &l.Facts[i]
		}
	}
	return nil
}

func fact(l *order.LayerReport, name string) *order.Fact {
	for i := range l.Facts {
		if l.Facts[i].Name == name {
			return &l.Facts[i]
		}
	}
	return nil
}

// sentence joins a reason and what follows from it.
func sentence(reason, effect string) string {
	if effect == "" {
		return reason
	}
	return reason + " — " + effect
}
