package doctor

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// One thing at a time is taken from a machine that gives everything.
func TestLimitedChecks(t *testing.T) {
	lacks := func(l order.Layer, name, reason string) func(*result) {
		return func(f *result) {
			at := f.full.layer(l)
			at.Facts = append(at.Facts, order.Fact{Name: name, Want: "x", Reason: reason, Effect: "an effect"})
		}
	}
	call := func(what string) func(*result) { return func(f *result) { f.environment.Calls = all(what) } }
	off := func(l order.Layer) func(*result) {
		return func(f *result) {
			*f.full.layer(l) = order.LayerReport{Layer: l, State: order.Absent, Reason: "a reason", Effect: "an effect"}
		}
	}
	both := func(a, b func(*result)) func(*result) { return func(f *result) { a(f); b(f) } }
	in := func(s diagnose.Environment) func(*result) {
		return func(f *result) { f.environment = on("6.12.1", s); off(order.Cgroup)(f) }
	}
	noSockets := func(why string, sysctl func(string) string) func(*result) {
		return func(f *result) {
			f.shared = f.full
			f.full, f.usual = refusal(order.Namespaces, "clone", "", syscall.EPERM), Trial{Report: proof(policy.Reduced, 7)}
			f.named.Refused = &order.Refusal{Layer: order.Policy, Op: "network.allowedDomains",
				Err: errors.New("cannot be held: clone: EPERM" + diagnose.AndThisOne + why)}
			f.environment.Sysctl, f.environment.Calls = sysctl, all("EPERM namespaces")
		}
	}
	for _, c := range []struct {
		name, check string
		change      func(*result)
		state       State
		detail, fix string
	}{
		{"masked proc", "User namespaces", lacks(order.Root, "fresh /proc", "mount proc: EPERM"), Limited, "no /proc of its own", "systempaths=unconfined"},
		{"no own network", "User namespaces", func(f *result) {
			f.shared, f.environment.Calls = f.full, all("ENOSPC network namespace")
			f.full, f.usual = refusal(order.Namespaces, "clone", "", syscall.ENOSPC), Trial{Report: proof(policy.Reduced, 7)}
			f.named = f.usual
			f.environment.Sysctl = sysctl("user.max_net_namespaces", "0")
		}, Limited, "no network of its own: network namespaces are forbidden", "max_net_namespaces"},
		{"old Landlock", "Landlock", lacks(order.Landlock, "scope of signals", "ABI 4"), Limited, "ABI 7, but no scope of signals", "6.12"},
		{"Landlock off", "Landlock", both(off(order.Landlock), call("EOPNOTSUPP landlock_create_ruleset")), Missing, "switched off at boot", "lsm="},
		{"Landlock filtered", "Landlock", both(off(order.Landlock), call("EPERM landlock_create_ruleset")), Missing, "EPERM", "landlock_restrict_self"},
		{"Landlock ABI 1", "Landlock", off(order.Landlock), Limited, "a reason — an effect", ""},
		{"listener taken", "Seccomp", call("EBUSY seccomp listener"), Limited, "EBUSY", ""},
		{"no network of its own, lo", "User namespaces", func(f *result) {
			f.shared = f.full
			f.full, f.usual = refusal(order.Network, "ioctl", "lo", syscall.EPERM), Trial{Report: proof(policy.Reduced, 7)}
			f.named = f.usual
		}, Limited, "no network of its own: refused: ioctl lo: operation not permitted", ""},
		{"listener refused", "Seccomp", call("EPERM seccomp listener"), Limited, "EPERM", ""},
		{"no listener", "Seccomp", call("EINVAL seccomp listener"), Limited, "no user notification (EINVAL)", "5.0"},
		{"no filter", "Seccomp", both(off(order.Seccomp), call("EPERM seccomp filter, seccomp listener")), Missing, "EPERM", "CONFIG_SECCOMP_FILTER"},
		{"low hard limit", "Rlimits", func(f *result) {
			l := f.full.layer(order.Limits)
			l.Facts = append(l.Facts, order.Fact{Name: "open files" + inheritedLimit, Want: "64", Got: "64"})
		}, Limited, "open files 64", "LimitNOFILE"},
		{"uncounted", "Rlimits", lacks(order.Limits, "processes", "kuid 0"), Limited, "but for processes: kuid 0", "cgroups"},
		{"no cpu controller", "Cgroups v2", lacks(order.Cgroup, "cpu.max", "not delegated"), Limited, "no cpu.max", "group"},
		{"delegation", "Cgroups v2", in(diagnose.Environment{Cgroups: "v2", Systemd: true}), Limited, "a reason — limits fall back to rlimits", "systemd-run --user --scope -p Delegate=yes"},
		{"a survivor", "Timeout and whole-tree kill", func(f *result) {
			f.tree.problem = "a daemon outlived it"
		}, Missing, "a daemon outlived it", ""},
		{"no sockets, by Yama", "Hosts by name", noSockets("sockets: permission denied", sysctl("kernel.yama.ptrace_scope", "2")),
			Missing, "refused: sockets: permission denied", "ptrace_scope is 2: `sysctl -w kernel.yama.ptrace_scope=1`"},
		{"no sockets, restart", "Hosts by name", noSockets("sockets: permission denied", sysctl("kernel.yama.ptrace_scope", "3")),
			Missing, "permission denied", "after a restart"},
		{"no sockets, listener", "Hosts by name", noSockets("seccomp: device or resource busy", sysctl("", "")),
			Missing, "refused: seccomp: device or resource busy", "outside of the program"},
		{"no sockets, old kernel", "Hosts by name", noSockets("sockets: invalid argument", sysctl("", "")),
			Missing, "invalid argument", "5.14"},
		{"not tried", "Timeout and whole-tree kill", func(f *result) { f.tree = treeTrial{} }, Missing, "not tried", ""},
	} {
		f := &result{full: Trial{Report: proof(policy.Full, 7)}, tree: killed, environment: on("6.12.1", diagnose.Environment{})}
		c.change(f)
		found := false
		for _, got := range f.checks() {
			switch {
			case got.Name == c.check:
				found = true
				if got.State != c.state || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Fix, c.fix) {
					t.Errorf("%s: %+v", c.name, got)
				}
			case c.check == "Hosts by name" && got.Name == "User namespaces": // without which the check is made
			case got.State != Works && got.Name != "Confinement reachable":
				t.Errorf("%s: %s is not all right either: %+v", c.name, got.Name, got)
			}
		}
		if !found {
			t.Errorf("%s: no check %s", c.name, c.check)
		}
	}
}
