package doctor

import (
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Each refusal of full confinement, with what the machine says of itself, has one cause and its own remedy.
func TestCause(t *testing.T) {
	clone := func(e syscall.Errno) Trial { return refusal(order.Namespaces, "clone", "", e) }
	mount := refusal(order.Root, "mount", "/", syscall.EPERM)
	loopback := refusal(order.Network, "ioctl", "lo", syscall.EPERM)
	with := func(name, value string) diagnose.Environment {
		return diagnose.Environment{Facts: diagnose.Facts{Sysctl: sysctl(name, value)}}
	}
	for _, c := range []struct {
		name        string
		full        Trial
		calls       string // as refuse takes it
		environment diagnose.Environment
		detail, fix string // parts of them
	}{
		{"max user", clone(syscall.ENOSPC), "ENOSPC namespaces", with("user.max_user_namespaces", "0"), "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces=15000"},
		{"max net", clone(syscall.ENOSPC), "ENOSPC network namespace", with("user.max_net_namespaces", "0"), "network namespaces are forbidden", "user.max_net_namespaces=15000"},
		{"outer max", clone(syscall.ENOSPC), "ENOSPC namespaces", with("user.max_user_namespaces", "99"), "around this process", "user.max_user_namespaces"},
		{"used up", clone(syscall.ENOSPC), "ENOSPC namespaces", with("user.max_user_namespaces", "31000"), "is used up", "user.max_user_namespaces=62000"},
		{"depth", clone(syscall.EUSERS), "EUSERS namespaces", diagnose.Environment{}, "inside each other", "fewer"},
		{"not built", clone(syscall.EINVAL), "EINVAL namespaces", diagnose.Environment{}, "built without", "CONFIG_USER_NS"},
		{"Debian", clone(syscall.EPERM), "EPERM namespaces", with(debianSwitch, "0"), debianSwitch + " is 0", debianSwitch + "=1"},
		{"chroot", clone(syscall.EPERM), "EPERM namespaces", diagnose.Environment{Chrooted: true, Filtered: true}, "chroot", "bwrap"},
		{"Docker", clone(syscall.EPERM), "EPERM namespaces", diagnose.Environment{Filtered: true}, "seccomp filter", "docker run --user"},
		{"Podman", clone(syscall.EPERM), "EPERM namespaces", diagnose.Environment{Filtered: true}, "seccomp filter", "podman run --user"},
		{"Kubernetes", clone(syscall.EPERM), "EPERM namespaces", diagnose.Environment{Filtered: true}, "the container or systemd unit", "hostUsers: false"},
		{"a unit", clone(syscall.EPERM), "EPERM namespaces", diagnose.Environment{Filtered: true}, "the program that started", "RestrictNamespaces=no"},
		{"Ubuntu 23.10", clone(syscall.EACCES), "EACCES namespaces", with(apparmorSwitch, "1"), "AppArmor", "apparmor_parser -r /etc/apparmor.d/host"},
		{"gVisor", refusal(order.Namespaces, "look at the machine", "/proc/self/ns/user", syscall.ENOENT), "", diagnose.Environment{}, "/proc/self/ns/user", ""},
		{"a filter that hides a call", refusal(order.Root, "mount", "/sys", syscall.ENOSYS), "", diagnose.Environment{Filtered: true}, "runs in hides the call", "@mount in SystemCallFilter="},
		{"a filter that kills", clone(syscall.EPERM), "SIGSYS namespaces", diagnose.Environment{Filtered: true}, "SIGSYS", "@mount"},
		{"SELinux", clone(syscall.EACCES), "EACCES namespaces", diagnose.Environment{}, "EACCES", "security module"},
		{"Ubuntu 24.04", mount, "", with(apparmorSwitch, "1"), "can be made and not used", "profile host /opt/host flags=(unconfined) { userns, }"},
		{"Ubuntu, lo", loopback, "", with(apparmorSwitch, "1"), "ioctl lo", "userns,"},
		{"mounts filtered", mount, "", diagnose.Environment{Filtered: true}, "can be made and not used", "@mount"},
		{"root of a container", refusal(order.Root, "open_tree", "/dev/full", syscall.EPERM), "", diagnose.Environment{Facts: diagnose.Facts{Root: true}}, "no CAP_SYS_ADMIN (open_tree /dev/full: operation not permitted)", "docker run --user 1000:1000"},
		{"initramfs", refusal(order.Root, "pivot_root", ".", syscall.EINVAL), "", diagnose.Environment{}, "initramfs", "switch_root"},
		{"elsewhere", refusal(order.Exec, "program", "", syscall.EPERM), "", diagnose.Environment{}, "for another reason: exec: program", ""},
		{"another's proc", clone(syscall.EPERM), "EPERM namespaces", diagnose.Environment{ForeignProc: true, Filtered: true}, "another pid namespace", ""},
		{"unknown", mount, "", diagnose.Environment{}, "mount /: operation not permitted", ""},
		{"WSL 1", clone(syscall.EINVAL), "EINVAL namespaces", diagnose.Environment{WSL: 1}, "WSL 1", "wsl --set-version"},
	} {
		c.environment.Calls, c.environment.Self = all(c.calls), "/opt/host"
		f := &result{full: c.full, usual: Trial{Report: proof(policy.Reduced, 7)}, environment: on("6.12.1", c.environment)}
		got := namespaces(f)
		if (got.State != Missing) != (c.name == "elsewhere") || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Fix, c.fix) || c.fix == "" && got.Fix != "" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

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
		{"a group that is the host's too", "Cgroups v2", func(f *result) {
			in(diagnose.Environment{Cgroups: "v2", Systemd: true})(f)
			f.full.layer(order.Cgroup).Reason = "divide /sys/fs/cgroup/system.slice/host.service: it holds processes that this launch may not move"
		}, Limited, "it holds processes", "DelegateSubgroup=host"},
		{"delegation", "Cgroups v2", in(diagnose.Environment{Cgroups: "v2", Systemd: true}), Limited, "a reason — limits fall back to rlimits", "systemd-run --user --scope -p Delegate=yes"},
		{"delegation to root", "Cgroups v2", in(diagnose.Environment{Facts: diagnose.Facts{Root: true}, Cgroups: "v2", Systemd: true}), Limited, "", "systemd-run --scope"},
		{"v1", "Cgroups v2", in(diagnose.Environment{Cgroups: "v1", Systemd: true}), Limited, "", "unified_cgroup_hierarchy=1"},
		{"WSL 2", "Cgroups v2", in(diagnose.Environment{WSL: 2}), Limited, "", "systemd=true"},
		{"WSL 2, v1", "Cgroups v2", in(diagnose.Environment{WSL: 2, Systemd: true, Cgroups: "v1"}), Limited, "", "cgroup_no_v1=all"},
		{"read-only", "Cgroups v2", func(f *result) {
			in(diagnose.Environment{Cgroups: "v2"})(f)
			f.full.layer(order.Cgroup).Reason = "divide /sys/fs/cgroup: read-only file system"
		}, Limited, "read-only", "resources.limits"},
		{"a sandbox", "Cgroups v2", in(diagnose.Environment{Filtered: true}), Limited, "", "what confines this process"},
		{"nothing mounted", "Cgroups v2", in(diagnose.Environment{}), Limited, "", "mount -t cgroup2"},
		{"clone3", "Cgroups v2", func(f *result) {
			in(diagnose.Environment{Cgroups: "v2", Systemd: true, Filtered: true})(f)
			f.full.layer(order.Cgroup).Reason = "clone3 is refused here, and only by it a process is born in a control group"
		}, Limited, "clone3", "RestrictNamespaces=no"},
		{"no manager", "Cgroups v2", in(diagnose.Environment{Cgroups: "v2"}), Limited, "", "its user owns"},
		{"a survivor", "Timeout and whole-tree kill", func(f *result) {
			f.tree.problem = "a daemon outlived it"
		}, Missing, "a daemon outlived it", ""},
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
			case got.State != Works && got.Name != "Confinement reachable":
				t.Errorf("%s: %s is not all right either: %+v", c.name, got.Name, got)
			}
		}
		if !found {
			t.Errorf("%s: no check %s", c.name, c.check)
		}
	}
}
