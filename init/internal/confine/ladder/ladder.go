// Package ladder chooses the next step when the machine refuses one: the weaker confinement to try, if the policy
// allows one, and the error when none is left.
package ladder

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Ladder chooses the confinement of each attempt: the strongest first, and a weaker one where the machine refuses a
// step. The policy's refusal is never answered by less confinement.
type Ladder struct {
	Confinement policy.Confinement
	NoFilter    bool             // the kernel has no seccomp, and confinement limits does without
	Refused     []*order.Refusal // why stronger confinements were refused, the strongest first

	least       policy.Confinement
	known       string // why a host knows that stronger confinements are refused
	withoutProc bool   // full is taken without a /proc of its own, for nothing below it holds
}

// New begins with the strongest confinement, or where a host found out before that this machine refuses it.
func New(o *order.Order, p *policy.Policy) Ladder {
	l := Ladder{Confinement: policy.Full, least: p.MinConfinement}
	begin := policy.Confinement(o.Begin)
	switch {
	case p.Level == policy.Privileged:
		l.Confinement, l.known = policy.None, o.Why
	case begin != "" && begin.Holds(l.least):
		l.Confinement, l.known = begin, o.Why
	}
	return l
}

// Next chooses the confinement after the present one was refused. The error is why there is no other.
func (l *Ladder) Next(err error) error {
	var r *order.Refusal
	if l.takesFullAgain(err) {
		l.Confinement, l.withoutProc, l.Refused = policy.Full, true, nil
		return nil
	}
	if !errors.As(err, &r) || !diagnose.OfMachine(r) {
		return err
	}
	l.Refused = append(l.Refused, r)
	next, noFilter := l.below(r)
	if next == "" || !next.Holds(l.least) {
		return allRefused(l.Refused, next)
	}
	l.Confinement, l.NoFilter = next, noFilter
	return nil
}

// below is the next weaker confinement, or "".
func (l *Ladder) below(r *order.Refusal) (next policy.Confinement, noFilter bool) {
	switch l.Confinement {
	case policy.Full:
		return policy.Reduced, false
	case policy.Reduced:
		return policy.ConfinementLimits, false
	case policy.ConfinementLimits:
		if r.Layer == order.Seccomp && !l.NoFilter {
			return policy.ConfinementLimits, true
		}
		return policy.None, l.NoFilter
	}
	return "", false
}

// Accept is an error if full was proved without a /proc of its own, as in a container with a masked /proc, and the
// policy does not ask for full: Java, Node and bash need /proc, and reduced has the machine's.
func (l *Ladder) Accept(layers []order.LayerReport) error {
	if l.Confinement != policy.Full || l.withoutProc || l.least == policy.Full {
		return nil
	}
	for i := range layers {
		for _, f := range layers[i].Facts {
			if f.Name == "fresh /proc" && f.Got == "" {
				why := diagnose.NoProc{Reason: f.Reason}
				return &order.Refusal{Layer: order.Root, Op: "mount", Path: "/proc", Err: why}
			}
		}
	}
	return nil
}

// takesFullAgain reports whether full without a /proc is the best there is: reduced, tried in its place, was refused,
// by the machine or because it does not hold a denial of the policy.
func (l *Ladder) takesFullAgain(err error) bool {
	if l.withoutProc || len(l.Refused) == 0 || l.Confinement != policy.Reduced {
		return false
	}
	return diagnose.IsNoProc(l.Refused[len(l.Refused)-1]) && errors.As(err, new(*order.Refusal))
}

// Why is in one line why the stronger confinements were not reached; "" if none was refused.
func (l *Ladder) Why() string {
	var all []string
	for _, r := range l.Refused {
		all = append(all, r.Error())
	}
	return cmp.Or(strings.Join(slices.Compact(all), "; "), l.known)
}

// CannotHold is the refusal of a policy with an entry for a path or a domain that a confinement without a root and a
// network of its own cannot hold. also is why this confinement itself could not, or nil.
func (l *Ladder) CannotHold(key, path string, also error) error {
	why := l.Why()
	if also != nil {
		why += diagnose.AndThisOne + also.Error()
	}
	return &order.Refusal{Layer: order.Policy, Op: key, Path: path,
		Err: Unheld{Confinement: l.Confinement, Refused: l.Refused, why: why}}
}
