package diagnose

import (
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Each refusal of full confinement, with what the machine says of itself, has one cause and its own remedy.
func TestCause(t *testing.T) {
	clone := func(e syscall.Errno) *order.Refusal { return refusal(order.Namespaces, "clone", "", e) }
	mount := refusal(order.Root, "mount", "/", syscall.EPERM)
	loopback := refusal(order.Network, "ioctl", "lo", syscall.EPERM)
	with := func(name, value string) Environment {
		return Environment{Circumstances: Circumstances{Sysctl: func(asked string) string {
			if asked == name {
				return value
			}
			return ""
		}}}
	}
	root := with(debianSwitch, "0")
	root.Root = true
	for _, c := range []struct {
		name        string
		full        *order.Refusal
		calls       string // as refuse takes it
		environment Environment
		detail, fix string // parts of them
	}{
		{"max user", clone(syscall.ENOSPC), "ENOSPC namespaces", with("user.max_user_namespaces", "0"), "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces=15000"},
		{"max net", clone(syscall.ENOSPC), "ENOSPC network namespace", with("user.max_net_namespaces", "0"), "network namespaces are forbidden", "user.max_net_namespaces=15000"},
		{"outer max", clone(syscall.ENOSPC), "ENOSPC namespaces", with("user.max_user_namespaces", "99"), "around this process", "user.max_user_namespaces"},
		{"used up", clone(syscall.ENOSPC), "ENOSPC namespaces", with("user.max_user_namespaces", "31000"), "is used up", "user.max_user_namespaces=62000"},
		{"depth", clone(syscall.EUSERS), "EUSERS namespaces", Environment{}, "inside each other", "fewer"},
		{"not built", clone(syscall.EINVAL), "EINVAL namespaces", Environment{}, "built without", "CONFIG_USER_NS"},
		{"Debian", clone(syscall.EPERM), "EPERM namespaces", with(debianSwitch, "0"), debianSwitch + " is 0", debianSwitch + "=1"},
		{"Debian, as root", clone(syscall.EPERM), "EPERM namespaces", root, "namespace refused: EPERM", "security module"},
		{"chroot", clone(syscall.EPERM), "EPERM namespaces", Environment{Chrooted: true, Filtered: true}, "chroot", "bwrap"},
		{"Docker", clone(syscall.EPERM), "EPERM namespaces", Environment{Filtered: true}, "seccomp filter", "docker run --user"},
		{"Podman", clone(syscall.EPERM), "EPERM namespaces", Environment{Filtered: true}, "seccomp filter", "podman run --user"},
		{"Kubernetes", clone(syscall.EPERM), "EPERM namespaces", Environment{Filtered: true}, "the container or systemd unit", "hostUsers: false"},
		{"a unit", clone(syscall.EPERM), "EPERM namespaces", Environment{Filtered: true}, "the program that started", "RestrictNamespaces=no"},
		{"Ubuntu 23.10", clone(syscall.EACCES), "EACCES namespaces", with(apparmorSwitch, "1"), "AppArmor", "apparmor_parser -r /etc/apparmor.d/host"},
		{"gVisor", refusal(order.Namespaces, "look at the machine", "/proc/self/ns/user", syscall.ENOENT), "", Environment{}, "/proc/self/ns/user", ""},
		{"a filter that hides a call", refusal(order.Root, "mount", "/sys", syscall.ENOSYS), "", Environment{Filtered: true}, "runs in hides the call", "@mount in SystemCallFilter="},
		{"a filter that kills", clone(syscall.EPERM), "SIGSYS namespaces", Environment{Filtered: true}, "SIGSYS", "@mount"},
		{"SELinux", clone(syscall.EACCES), "EACCES namespaces", Environment{}, "EACCES", "security module"},
		{"Ubuntu 24.04", mount, "", with(apparmorSwitch, "1"), "can be made and not used", "profile host /opt/host flags=(unconfined) { userns, }"},
		{"Ubuntu, lo", loopback, "", with(apparmorSwitch, "1"), "ioctl lo", "userns,"},
		{"mounts filtered", mount, "", Environment{Filtered: true}, "can be made and not used", "@mount"},
		{"root of a container", refusal(order.Root, "open_tree", "/dev/full", syscall.EPERM), "", Environment{Circumstances: Circumstances{Root: true}}, "no CAP_SYS_ADMIN (open_tree /dev/full: operation not permitted)", "docker run --user 1000:1000"},
		{"initramfs", refusal(order.Root, "pivot_root", ".", syscall.EINVAL), "", Environment{}, "initramfs", "switch_root"},
		{"elsewhere", refusal(order.Exec, "program", "", syscall.EPERM), "", Environment{}, "for another reason: exec: program", ""},
		{"another's proc", clone(syscall.EPERM), "EPERM namespaces", Environment{ForeignProc: true, Filtered: true}, "another pid namespace", ""},
		{"unknown", mount, "", Environment{}, "mount /: operation not permitted", ""},
		{"WSL 1", clone(syscall.EINVAL), "EINVAL namespaces", Environment{WSL: 1}, "WSL 1", "wsl --set-version"},
	} {
		e := c.environment
		e.Calls, e.Self = calls(c.calls), "/opt/host"
		if e.Sysctl == nil {
			e.Sysctl = func(string) string { return "" }
		}
		got := e.FullRefused(c.full, false)
		if got.Elsewhere != (c.name == "elsewhere") || !strings.Contains(got.Detail, c.detail) || !strings.Contains(got.Fix, c.fix) || c.fix == "" && got.Fix != "" {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if got := fixAppArmor("/a_b/mcp-sandbox"); !strings.Contains(got, `/a_b/mcp-sandbox{,-init,-serve} flags`) {
		t.Error(got)
	}
	for _, self := range []string{"/a b/mcp-sandbox", "/home/o'brien/mcp-sandbox", "/a/mcp-sandbox (1)", "/a[bc]/host", "/*/host", "/a\n/host", "/{a,b}/c"} {
		if got := fixAppArmor(self); strings.Contains(got, self) || !strings.HasPrefix(got, "move mcp-sandbox") {
			t.Errorf("%q: %s", self, got)
		}
	}
	if got := new(Environment).FullRefused(nil, false); got.Detail != Untried {
		t.Errorf("without a trial: %+v", got)
	}
}

// refusal has an error whose text is the same on every operating system.
func refusal(l order.Layer, op, path string, e syscall.Errno) *order.Refusal {
	r := &order.Refusal{Layer: l, Op: op, Path: path, Err: e}
	if e == syscall.EPERM {
		r.Err = denial{e}
	}
	return r
}

type denial struct{ syscall.Errno }

func (denial) Error() string { return "operation not permitted" }

func (d denial) Unwrap() error { return d.Errno }

// calls are single calls that succeeded, but for some: "EPERM user namespace", or "EPERM namespaces" for all of these.
func calls(refused string) (all []order.Call) {
	e, names, _ := strings.Cut(refused, " ")
	for _, n := range namespaces {
		c := order.Call{Name: n.call}
		if names == "namespaces" || names == n.call {
			c.Error = e
		}
		all = append(all, c)
	}
	return all
}

// A server gets a control group of its own in another way on each machine.
func TestDelegation(t *testing.T) {
	root := Circumstances{Root: true}
	for _, c := range []struct {
		name        string
		environment Environment
		reason, fix string
	}{
		{"a user", Environment{Cgroups: "v2", Systemd: true}, "", "systemd-run --user --scope -p Delegate=yes"},
		{"root", Environment{Circumstances: root, Cgroups: "v2", Systemd: true}, "", "`systemd-run --scope"},
		{"the host's too", Environment{Cgroups: "v2", Systemd: true}, "divide /a: it holds processes", "DelegateSubgroup=host"},
		{"v1", Environment{Cgroups: "v1", Systemd: true}, "", "unified_cgroup_hierarchy=1"},
		{"WSL 2", Environment{WSL: 2}, "", "systemd=true"},
		{"WSL 2, v1", Environment{WSL: 2, Systemd: true, Cgroups: "v1"}, "", "cgroup_no_v1=all"},
		{"read-only", Environment{Cgroups: "v2"}, "divide /a: " + syscall.EROFS.Error(), "resources.limits"},
		{"a sandbox", Environment{Filtered: true}, "", "what confines this process"},
		{"nothing mounted", Environment{}, "", "mount -t cgroup2"},
		{"clone3", Environment{Cgroups: "v2", Systemd: true, Filtered: true}, "clone3 is refused here", "RestrictNamespaces=no"},
		{"no manager", Environment{Cgroups: "v2"}, "", "its user owns"},
	} {
		if got := c.environment.Delegation(c.reason); !strings.Contains(got, c.fix) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	for modules, fix := range map[string]string{"": "in front of the list", "yama": "`lsm=landlock,yama`"} {
		if got := (&Environment{LSM: modules}).BootLandlock(); !strings.Contains(got, fix) {
			t.Error(got)
		}
	}
}
