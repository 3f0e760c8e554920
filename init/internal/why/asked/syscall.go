package asked

import (
	"errors"
	"runtime"
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Syscall answers whether the filter lets a system call pass, in confinement full on this architecture. What passes may
// still fail: the kernel asks for rights that the server has not. A name that is no system call's is an error.
func Syscall(p *policy.Policy, name string) (order.Answer, error) {
	return Filtered(p, seccomp.Options{}, name)
}

// Filtered is [Syscall] with a filter that is stricter by what a launch found out about its machine. Of the options
// those that the policy decides are not read.
func Filtered(p *policy.Policy, o seccomp.Options, name string) (order.Answer, error) {
	if i, why := seccomp.Unknown([]string{name}); i >= 0 {
		return order.Answer{}, errors.New(why)
	}
	effective := p.Effective(policy.Run)
	if effective.Level == policy.Privileged {
		return order.Answer{Allowed: order.ActAllowed, By: "/level",
			Text: name + " is allowed: level privileged has no filter of system calls"}, nil
	}
	o.OneExec = effective.Subprocess.Allow == policy.No
	c := call{policy: p, options: o, name: name}
	c.number, _ = seccomp.Number(name)
	return c.answer()
}

// A call is asked about under one policy.
type call struct {
	policy  *policy.Policy
	options seccomp.Options
	name    string
	number  uint32
}

// verdict asks the filter with these names denied.
func (c *call) verdict(o seccomp.Options, deny []string) (seccomp.Verdict, error) {
	if i, why := seccomp.Unknown(deny); i >= 0 {
		return seccomp.Verdict{}, errors.New("/seccomp/deny/" + strconv.Itoa(i) + ": " + why)
	}
	o.Deny = nil
	for _, name := range deny {
		n, _ := seccomp.Number(name)
		o.Deny = append(o.Deny, n)
	}
	return seccomp.Decide(runtime.GOARCH, o, c.number)
}

func (c *call) answer() (order.Answer, error) {
	v, err := c.verdict(c.options, c.policy.Seccomp.Deny)
	if err != nil {
		return order.Answer{}, err
	}
	a := order.Answer{Allowed: order.ActDenied, Reason: order.ByPolicy, By: byDefault}
	switch {
	case v.Allows && !v.Refuses:
		return order.Answer{Allowed: order.ActAllowed, By: byDefault, Text: c.name + " is allowed by default"}, nil
	case v.Allows:
		a.Allowed = order.ActDepends
	}
	a.Text = c.name + " is refused by default"
	return a, c.blame(&a, v)
}

// blame finds the key of the policy without which the filter refuses less.
func (c *call) blame(a *order.Answer, v seccomp.Verdict) error {
	if i := slices.Index(c.policy.Seccomp.Deny, c.name); i >= 0 {
		rest := slices.DeleteFunc(slices.Clone(c.policy.Seccomp.Deny), func(s string) bool { return s == c.name })
		w, err := c.verdict(c.options, rest)
		if err != nil {
			return err
		}
		if w.Allows && !v.Allows || w.Traced && !v.Traced {
			a.By = "/seccomp/deny/" + strconv.Itoa(i)
			a.Patch = []order.Patch{{Op: "remove", Path: a.By}}
		}
	}
	return nil
}
