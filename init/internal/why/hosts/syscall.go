package hosts

import (
	"errors"
	"runtime"
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Syscall answers whether the filter lets a system call of the server pass, in confinement full. A call that passes may
// still fail: the kernel asks for rights that the server has not. A name that is no system call's is an error.
func Syscall(p *policy.Policy, name string) (order.Answer, error) {
	return Filtered(p, seccomp.Options{}, name)
}

// Filtered is [Syscall] with the options that a launch on this machine adds to those of the policy.
func Filtered(p *policy.Policy, machine seccomp.Options, name string) (order.Answer, error) {
	if i, why := seccomp.Unknown([]string{name}); i >= 0 {
		return order.Answer{}, errors.New(why)
	}
	if p.Level == policy.Privileged {
		return order.Answer{Allowed: order.ActAllowed, By: "/level",
			Text: name + " is allowed: level privileged has no filter of system calls"}, nil
	}
	if machine.Egress && name == "listen" {
		text := name + " is refused with EACCES: without a network namespace no port of the server's can be reached"
		return order.Answer{Allowed: order.ActDenied, Reason: order.ByPolicy, By: order.NoEntry, Text: text}, nil
	}
	c := &callQuestion{machine: machine, name: name}
	c.number, _ = seccomp.Number(name)
	v, err := c.verdict(p)
	if err != nil {
		return order.Answer{}, err
	}
	if v.Allows && v.Refusals == 0 {
		return order.Answer{Allowed: order.ActAllowed, By: order.NoEntry,
			Text: name + " is allowed: no filter refuses this call"}, nil
	}
	a := order.Answer{Allowed: order.ActDenied, Reason: order.ByPolicy, By: order.NoEntry}
	if v.Allows {
		a.Allowed = order.ActDepends
	}
	a.Text = c.text(&v)
	return a, c.change(p, &v, &a)
}

// A callQuestion is asked of policies.
type callQuestion struct {
	machine seccomp.Options
	name    string
	number  uint32
}

// verdict asks the filter of a policy.
func (c *callQuestion) verdict(p *policy.Policy) (seccomp.Verdict, error) {
	o := c.machine
	o.OneExec = p.Effective(policy.Run).Subprocess.Allow == policy.No
	if i, why := seccomp.Unknown(p.Seccomp.Deny); i >= 0 {
		return seccomp.Verdict{}, errors.New(denyKey + strconv.Itoa(i) + ": " + why)
	}
	for _, name := range p.Seccomp.Deny {
		n, _ := seccomp.Number(name)
		o.Deny = append(o.Deny, n)
	}
	return seccomp.Decide(runtime.GOARCH, o, c.number)
}

const denyKey = "/seccomp/deny/"

// change adds the key of the policy that refuses the call, and the change that takes that back: a name less in
// seccomp.deny, subprocess.allow, or both.
func (c *callQuestion) change(p *policy.Policy, v *seccomp.Verdict, a *order.Answer) error {
	var denials []int
	for i, name := range p.Seccomp.Deny {
		if name == c.name {
			denials = append(denials, i)
		}
	}
	for _, way := range [...]struct{ undeny, programs bool }{{true, false}, {false, true}, {true, true}} {
		if way.undeny && len(denials) == 0 {
			continue
		}
		changed := change{policy: *p}
		if way.undeny {
			changed.remove(&changed.policy.Seccomp.Deny, denyKey, denials)
		}
		if way.programs {
			changed.programs()
		}
		w, err := c.verdict(&changed.policy)
		if err != nil {
			return err
		}
		if !passesMore(v, &w) {
			continue
		}
		a.By = subprocessBy(p)
		if way.undeny {
			a.By = denyKey + strconv.Itoa(denials[0])
		}
		a.Text += ", by " + a.By
		changed.suggest(a, way.undeny)
		return nil
	}
	if !v.Allows && errnoOf(v) == "EPERM" { // after ENOSYS programs use another call
		a.Text += "; only level privileged, which has no filter, lets the call pass"
	}
	return nil
}

// passesMore reports whether a filter lets more of a call's arguments pass than another: some where the other lets
// none, or fewer ways that end in a refusal.
func passesMore(before, after *seccomp.Verdict) bool {
	return after.Allows && (!before.Allows || after.Refusals < before.Refusals)
}

// programs lets the server start programs.
func (c *change) programs() {
	c.policy.Subprocess.Allow = policy.Yes
	c.flags = append(c.flags, "--subprocess")
	c.patch = append(c.patch, order.Patch{Op: "add", Path: subprocessKey, Value: true})
	c.opens = append(c.opens, "the server can start every program that it sees")
}

const subprocessKey = "/subprocess/allow"

// subprocessBy is the key that keeps programs from being started.
func subprocessBy(p *policy.Policy) string {
	if p.Subprocess.Allow == policy.Unset {
		return "/level" // strict
	}
	return subprocessKey
}

// text says how a call is refused.
func (c *callQuestion) text(v *seccomp.Verdict) string {
	switch {
	case c.number == seccomp.NoNumber:
		return c.name + " is refused with ENOSYS: " + runtime.GOARCH + " has no such call"
	case v.Traced:
		return c.name + " is refused with ENOSYS after the server's start"
	case !v.Allows:
		return c.name + " is refused with " + errnoOf(v)
	}
	text := c.name + " depends on its arguments"
	if which := refusedOf(c.name); which != "" {
		text += ": the filter refuses " + which
	}
	return text
}

// errnoOf is the name of the errno of a call that is refused whatever its arguments are.
func errnoOf(v *seccomp.Verdict) string {
	const enosys, eafnosupport = 38, 97 // on amd64 and arm64; errno(3)
	switch {
	case slices.Contains(v.Errnos, enosys):
		return "ENOSYS"
	case slices.Contains(v.Errnos, eafnosupport):
		return "EAFNOSUPPORT"
	}
	return "EPERM"
}

// refusedOf are the arguments of a call that the filter does not let pass.
func refusedOf(name string) string {
	switch name {
	case "clone":
		return "what makes a namespace, and a process where programs are not to be started"
	case "ioctl":
		return "TIOCSTI, TIOCLINUX, TIOCSETD, TIOCEXCL, TIOCNXCL, TCXONC, subvolumes of btrfs and bcachefs, " +
			"encryption and verity"
	case "prctl":
		return "PR_SET_MM and PR_SCHED_CORE"
	case "seccomp":
		return "SECCOMP_FILTER_FLAG_NEW_LISTENER"
	case "personality":
		return "all but PER_LINUX and PER_LINUX32"
	case "prlimit64", "setrlimit":
		return "a limit of core dumps"
	case "renameat2":
		return "RENAME_WHITEOUT"
	case "chmod", "fchmod", "fchmodat", "fchmodat2", "creat", "open", "openat":
		return "a mode with set-user-ID or set-group-ID"
	case "mknod", "mknodat":
		return "a device, and a mode with set-user-ID or set-group-ID"
	case "socket":
		return "all but TCP and UDP, AF_UNIX where the machine can hold that, and netlink for routes"
	case "socketpair":
		return "all but AF_UNIX"
	}
	return ""
}
