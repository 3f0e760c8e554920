package diagnose

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// The remedies. Each is a command that can be copied, or a line for a file that it names. One that takes a barrier away
// says so.

const (
	fixWSL1   = "in Windows: `wsl --set-version DISTRIBUTION 2`"
	fixChroot = "start it outside of the chroot, or enter the folder by `bwrap --bind FOLDER / …`, whose root is " +
		"a real one"

	fixNesting      = "start fewer sandboxes inside each other"
	fixInitramfs    = "switch_root(8) to a real file system first"
	fixKernelConfig = "a kernel with CONFIG_USER_NS, CONFIG_PID_NS, CONFIG_IPC_NS, CONFIG_UTS_NS and CONFIG_NET_NS"
	fixAskOwner     = "ask whoever runs this machine: a security module, or the program that started this one, " +
		"forbids them"
)

// fixOuterFilter says how the unit, the container or the filter around this process lets programs confine others in
// full. No call tells which engine that is, so there is a line for each.
const fixOuterFilter = "reduced confinement needs none of this; what takes a filter away says so:\n" +
	"in a systemd unit: RestrictNamespaces=no, and @mount in SystemCallFilter=, or none\n" +
	"Docker: `docker run --user 1000:1000 --security-opt seccomp=unconfined --security-opt apparmor=unconfined " +
	"--security-opt systempaths=unconfined …` — that takes the container's own filters away\n" +
	"Podman: `podman run --user 1000:1000 --security-opt seccomp=unconfined --security-opt unmask=ALL " +
	"…`" + losesFilter +
	"Kubernetes: in the Pod `hostUsers: false`, and in the container's securityContext `procMount: Unmasked`, " +
	"`seccompProfile: {type: Unconfined}`" + losesFilter +
	"any other filter: clone and unshare with namespaces, mount, umount2, pivot_root, open_tree, move_mount and " +
	"mount_setattr"

const losesFilter = " — that takes the container's own filter away\n"

// fixWeakRoot: root opens the grants for another user, which takes a right that containers do not give. An ordinary
// user needs none.
const fixWeakRoot = "start it as an ordinary user: `docker run --user 1000:1000 …`, the same with podman, User= " +
	"in a systemd unit, in a Pod `runAsNonRoot: true`, `runAsUser: 1000`"

// MaskedProc is for full confinement without a /proc of its own.
const MaskedProc = "a /proc without masked or read-only parts: `podman run --security-opt unmask=ALL …`, `docker " +
	"run --security-opt systempaths=unconfined …`, in a container of a Pod `procMount: Unmasked` with `hostUsers: " +
	"false`, in a systemd unit ProtectKernelTunables=no and ProtectKernelLogs=no; `--min-confinement full` takes " +
	"full without one, for servers that do not read /proc"

// Remedies for Landlock and seccomp.
const (
	LandlockFiltered = "a filter that allows landlock_create_ruleset, landlock_add_rule and " +
		"landlock_restrict_self: a newer container engine has them in its default, or name a profile of your own " +
		"by `--security-opt seccomp=FILE`; in a systemd unit, these calls in SystemCallFilter=, or @sandbox where " +
		"systemd knows that set"
	LandlockMissing = "Linux 5.13 or later, built with CONFIG_SECURITY_LANDLOCK"
	LandlockOld     = "Linux 6.12 or later has it"
	SeccompMissing  = "a kernel with CONFIG_SECCOMP_FILTER, and no filter around this process that refuses seccomp(2)"
	ListenerMissing = "Linux 5.0 or later"
)

// Remedies for limits.
const (
	HardLimits = "raise them where this shell or service gets them: /etc/security/limits.conf, `LimitNOFILE=` " +
		"and its like in a systemd unit, `docker run --ulimit nofile=65536`"
	CountedRoot  = "start it as an ordinary user, or see the line on cgroups"
	CountedGroup = "a control group counts them: see the line on cgroups"
)

// Remedies where no barrier can be had.
const (
	StartUnconfined = "`mcp-sandbox run --min-confinement limits` starts a server all the same, with no barrier " +
		"for files and network"
	UseWSL   = "`wsl --install`, and run host and servers in WSL 2"
	UseLinux = "run host and servers in a Linux virtual machine or container"
)

// enough namespaces for any number of servers.
const enough = "15000"

// double is more than a limit that is used up.
func double(limit string) string {
	if n, err := strconv.Atoi(limit); err == nil && n > 7500 && n < 1<<29 {
		return strconv.Itoa(2 * n)
	}
	return enough
}

func fixSysctl(name, value string) string {
	line := name + "=" + value
	return "`sudo sysctl -w " + line + "`; to keep it, the line " + line + " in /etc/sysctl.d/90-mcp-sandbox.conf"
}

// fixAppArmor is a profile for one program, and else the switch for all. apparmor.d(5)
func fixAppArmor(self string) string {
	forAll := "for all programs: `sudo sysctl -w " + apparmorSwitch + "=0`"
	if strings.ContainsFunc(self, isSpecial) {
		return "move mcp-sandbox to a path of letters, digits and . _ - + / alone, as /usr/local/bin, and ask again\n" +
			"or " + forAll
	}
	name := path.Base(self)
	lines := []string{
		"abi <abi/4.0>,",
		"include <tunables/global>",
		"profile " + name + " " + attachment(self) + " flags=(unconfined) { userns, }",
	}
	return "an AppArmor profile that lets this program alone make them:\nprintf '%s\\n' " +
		"'" + strings.Join(lines, "' '") + "' | sudo tee /etc/apparmor.d/" + name + "\nsudo apparmor_parser -r " +
		"/etc/apparmor.d/" + name + ofArchive(self) + "\nor " + forAll
}

// isSpecial reports whether a character means something to a shell, or in a pattern of apparmor.d(5).
func isSpecial(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+/", r))
}

// ofArchive names the archives' own file, which is for the folders that root installs programs in.
func ofArchive(self string) string {
	if self != "/usr/local/bin/mcp-sandbox" && self != "/usr/bin/mcp-sandbox" {
		return ""
	}
	return "\nthe archives have the same profile as a file, apparmor/mcp-sandbox"
}

// attachment is the pattern of the programs that a profile is for. Those of this project lie together.
func attachment(self string) string {
	dir, base := path.Split(self)
	if slices.Contains([]string{"mcp-sandbox", "mcp-sandbox-init", "mcp-sandbox-serve"}, base) {
		self = dir + "mcp-sandbox{,-init,-serve}"
	}
	return self
}

// BootLandlock adds Landlock to the modules that are started.
func (s *Environment) BootLandlock() string {
	if s.LSM == "" {
		return "boot with `landlock` in front of the list of the kernel's parameter lsm="
	}
	return "boot with the kernel's parameter `lsm=landlock," + s.LSM + "`"
}

// Delegation says how a server gets a control group of its own, where it has none for that reason.
func (s *Environment) Delegation(reason string) string {
	const unit = ", or in a unit with Delegate=yes"
	switch {
	case s.Filtered && strings.HasPrefix(reason, "clone3 "):
		return "let what confines this process allow clone3; in a systemd unit: RestrictNamespaces=no"
	case s.WSL == 2 && !s.Systemd:
		return "in /etc/wsl.conf: `[boot]` and below it `systemd=true`; in Windows `wsl --shutdown`; then run " +
			"under `systemd-run --user --scope -p Delegate=yes`"
	case s.Cgroups == "v1" && s.WSL == 2:
		return "in %UserProfile%\\.wslconfig: `[wsl2]` and below it `kernelCommandLine=cgroup_no_v1=all`; then " +
			"`wsl --shutdown`"
	case strings.HasSuffix(reason, syscall.EROFS.Error()):
		return "they are mounted read-only, as containers have it: limits of the container itself (`docker run " +
			"--memory 2g --pids-limit 512 …`, a Pod's `resources.limits`) hold for all its servers together; " +
			"`podman run --security-opt unmask=/sys/fs/cgroup …` lets them be divided"
	case s.Filtered && s.Cgroups != "v2":
		return "limits of what confines this process hold for all its servers together"
	case s.Cgroups == "v2" && strings.Contains(reason, "it holds processes"): // cgroups(7), no internal processes
		return "let the host run in a group below the delegated one: in its systemd unit `Delegate=yes` and " +
			"`DelegateSubgroup=host` (systemd 254 or later); before that a host that moves itself at its start: " +
			"`mkdir G/host; echo 0 >G/host/cgroup.procs` with G for its own group"
	case s.Cgroups == "v1" && s.Systemd:
		return "boot with the kernel's parameter `systemd.unified_cgroup_hierarchy=1`"
	case s.Cgroups != "v2":
		return "`mount -t cgroup2 none /sys/fs/cgroup` where nothing else is mounted there; the machine must not " +
			"use control groups v1"
	case s.Systemd && s.Root:
		return "run under `systemd-run --scope -p Delegate=yes`" + unit
	case s.Systemd:
		return "run under `systemd-run --user --scope -p Delegate=yes`" + unit
	}
	return "start it in a control group that its user owns and that holds no other process"
}
