package launcher

import (
	"path"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// The remedies. Each is a command that can be copied, or a line for a file that it names. One that takes a barrier away
// says so.

func fixSysctl(name, value string) string {
	return "`sudo sysctl -w " + name + "=" + value + "`; to keep it, the line " + name + "=" + value + " in /etc/sysctl.d/90-mcp-sandbox.conf"
}

// fixAppArmor is a profile for this one program, and else the switch for all. apparmor.d(5)
func (f *findings) fixAppArmor() string {
	name := path.Base(f.self)
	lines := []string{
		"abi <abi/4.0>,",
		"include <tunables/global>",
		"profile " + name + " " + attachment(f.self) + " flags=(unconfined) { userns, }",
	}
	return "an AppArmor profile that lets this program alone make them:\n" +
		"printf '%s\\n' '" + strings.Join(lines, "' '") + "' | sudo tee /etc/apparmor.d/" + name + "\n" +
		"sudo apparmor_parser -r /etc/apparmor.d/" + name + "\n" +
		"or for all programs: `sudo sysctl -w " + apparmorSwitch + "=0`"
}

// attachment is the pattern of the programs that a profile is for. The two of this project lie together.
func attachment(self string) string {
	if dir, base := path.Split(self); base == "mcp-sandbox" || base == "mcp-sandbox-init" {
		self = dir + "mcp-sandbox{,-init}"
	}
	if strings.ContainsAny(self, " \t") {
		return `"` + self + `"`
	}
	return self
}

// fixAround says how what this process runs in lets the programs in it confine others in full. Which engine that is no call
// tells, so there is a line for each.
func fixAround() string {
	return "reduced confinement needs none of this; what takes a filter away says so:\n" +
		"in a systemd unit: RestrictNamespaces=no, and @mount in SystemCallFilter=, or none\n" +
		"Docker: `docker run --user 1000:1000 --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined …` — that takes the container's own filters away\n" +
		"Podman: `podman run --user 1000:1000 --security-opt seccomp=unconfined --security-opt unmask=ALL …` — that takes the container's own filter away\n" +
		"Kubernetes: in the Pod `hostUsers: false`, and in the container's securityContext `procMount: Unmasked`, `seccompProfile: {type: Unconfined}` — that takes the container's own filter away\n" +
		"any other filter: clone and unshare with namespaces, mount, umount2, pivot_root, open_tree, move_mount and mount_setattr"
}

// fixWeakRoot: whoever is root opens the grants for another user, which takes a right that containers do not give. An
// ordinary user needs none.
const fixWeakRoot = "start it as an ordinary user: `docker run --user 1000:1000 …`, the same with podman, User= in a systemd unit, " +
	"in a Pod `runAsNonRoot: true`, `runAsUser: 1000`"

const fixMaskedProc = "a /proc without masked or read-only parts: `podman run --security-opt unmask=ALL …`, `docker run --security-opt systempaths=unconfined …`, " +
	"in a container of a Pod `procMount: Unmasked` with `hostUsers: false`, in a systemd unit ProtectKernelTunables=no and ProtectKernelLogs=no; " +
	"`--min-confinement full` takes full without one, for servers that do not read /proc"

func (f *findings) fixFilter(calls string) string {
	return "a filter that allows " + calls + ": a newer container engine has them in its default, or name a profile of your own by `--security-opt seccomp=FILE`; " +
		"in a systemd unit, these calls in SystemCallFilter=, or @sandbox where systemd knows that set"
}

// fixLSM adds Landlock to the modules that are started.
func (f *findings) fixLSM() string {
	modules := f.around.lsm
	if modules == "" {
		return "boot with `landlock` in front of the list of the kernel's parameter lsm="
	}
	return "boot with the kernel's parameter `lsm=landlock," + modules + "`"
}

// fixDelegation says how a server gets a control group of its own.
func (f *findings) fixDelegation() string {
	a := &f.around
	best, _ := f.reached()
	switch {
	case a.filtered && strings.HasPrefix(best.layer(order.Cgroup).Reason, "clone3 "):
		return "let what confines this process allow clone3; in a systemd unit: RestrictNamespaces=no"
	case a.wsl == 2 && !a.systemd:
		return "in /etc/wsl.conf: `[boot]` and below it `systemd=true`; in Windows `wsl --shutdown`; then run under `systemd-run --user --scope -p Delegate=yes`"
	case a.cgroups == "v1" && a.wsl == 2:
		return "in %UserProfile%\\.wslconfig: `[wsl2]` and below it `kernelCommandLine=cgroup_no_v1=all`; then `wsl --shutdown`"
	case strings.HasSuffix(best.layer(order.Cgroup).Reason, syscall.EROFS.Error()):
		return "they are mounted read-only, as containers have it: limits of the container itself (`docker run --memory 2g --pids-limit 512 …`, a Pod's `resources.limits`) " +
			"hold for all its servers together; `podman run --security-opt unmask=/sys/fs/cgroup …` lets them be divided"
	case a.filtered && a.cgroups != "v2":
		return "limits of what confines this process hold for all its servers together"
	case a.cgroups == "v2" && strings.Contains(best.layer(order.Cgroup).Reason, "it holds processes"):
		return fixOccupied
	case a.cgroups == "v1" && a.systemd:
		return "boot with the kernel's parameter `systemd.unified_cgroup_hierarchy=1`"
	case a.cgroups != "v2":
		return "`mount -t cgroup2 none /sys/fs/cgroup` where nothing else is mounted there; the machine must not use control groups v1"
	case a.systemd && a.root:
		return "run under `systemd-run --scope -p Delegate=yes`, or in a unit with Delegate=yes"
	case a.systemd:
		return "run under `systemd-run --user --scope -p Delegate=yes`, or in a unit with Delegate=yes"
	}
	return "start it in a control group that its user owns and that holds no other process"
}

// fixOccupied is for a group that is delegated and is the host's as well; cgroups(7), no internal processes.
const fixOccupied = "let the host run in a group below the delegated one: in its systemd unit `Delegate=yes` and `DelegateSubgroup=host` (systemd 254 or later); " +
	"before that a host that moves itself at its start: `mkdir G/host; echo 0 >G/host/cgroup.procs` with G for its own group"

// fixCounting is for a count of processes that no limit of a process can be.
func (f *findings) fixCounting() string {
	if f.around.root && f.full.ran() {
		return "start it as an ordinary user, or see the line on cgroups"
	}
	return "a control group counts them: see the line on cgroups"
}

const fixHardLimits = "raise them where this shell or service gets them: /etc/security/limits.conf, `LimitNOFILE=` and its like in a systemd unit, `docker run --ulimit nofile=65536`"
