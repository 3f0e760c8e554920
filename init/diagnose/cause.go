package diagnose

import (
	"slices"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// An Environment explains why full confinement is refused, and chooses the remedy, but is no proof.
type Environment struct {
	Circumstances
	Calls       []order.Call // single calls, each made once in a process of its own
	Self        string       // the host's own file, which an AppArmor profile names
	Filtered    bool         // a seccomp filter of another program holds for this process
	Chrooted    bool
	ForeignProc bool   // /proc shows the processes of another pid namespace
	Admin       bool   // this process has CAP_SYS_ADMIN
	WSL         int    // 1, 2, or 0
	Systemd     bool   // it is process 1
	Cgroups     string // "v2", "v1", or "" where nothing is mounted
	LSM         string // the list of active security modules; "" if it cannot be read
}

// Call is the error of a single call, or "" if it succeeded.
func (s *Environment) Call(name string) (problem string, tried bool) {
	if i := slices.IndexFunc(s.Calls, func(c order.Call) bool { return c.Name == name }); i >= 0 {
		return s.Calls[i].Error, true
	}
	return "", false
}

// Untried is the detail where no launch came far enough to try something.
const Untried = "not tried: no launch was possible"

// A Cause is why full confinement was refused, and the remedy.
type Cause struct {
	Detail, Fix string
	Elsewhere   bool // namespaces can be made; something else was refused
}

// The sysctls of distributions that forbid user namespaces to ordinary users.
const (
	debianSwitch   = "kernel.unprivileged_userns_clone"
	apparmorSwitch = "kernel.apparmor_restrict_unprivileged_userns"
)

// namespaces are the single calls that make namespaces, and the sysctls that limit these.
var namespaces = [...]struct{ call, sysctl string }{
	{order.TryUser, "user.max_user_namespaces"},
	{order.TryMount, "user.max_mnt_namespaces"},
	{order.TryPID, "user.max_pid_namespaces"},
	{order.TryIPC, "user.max_ipc_namespaces"},
	{order.TryUTS, "user.max_uts_namespaces"},
	{order.TryCgroup, "user.max_cgroup_namespaces"},
	{order.TryNet, "user.max_net_namespaces"},
}

// refusedNamespace is the first that could not be made by itself, its sysctl, and the error.
func (s *Environment) refusedNamespace() (name, sysctl, problem string) {
	for _, n := range namespaces {
		if problem, _ := s.Call(n.call); problem != "" {
			return n.call, n.sysctl, problem
		}
	}
	return "", "", ""
}

// FullRefused finds the cause from the refusal of a trial of full confinement and from the single calls. withoutNetwork
// tells that full is possible with the host's network.
func (s *Environment) FullRefused(r *order.Refusal, withoutNetwork bool) Cause {
	if r == nil {
		return Cause{Detail: Untried}
	}
	name, limit, problem := s.refusedNamespace()
	denied := problem == "EPERM" || problem == "EACCES"
	switch {
	case s.ForeignProc: // no launch begins
		return Cause{Detail: "not tried, for /proc shows the processes of another pid namespace", Fix: r.Hint}
	case s.WSL == 1:
		return Cause{Detail: "WSL 1 has no Linux kernel of its own, and no namespaces", Fix: fixWSL1}
	case problem == "ENOSPC" && s.Sysctl(limit) == "0":
		return Cause{Detail: name + "s are forbidden: " + limit + " is 0", Fix: fixSysctl(limit, enough)}
	case problem == "ENOSPC":
		return Cause{Fix: fixSysctl(limit, double(s.Sysctl(limit))),
			Detail: name + "s: the limit " + limit + " is used up, here or in a user namespace around this process"}
	case problem == "EUSERS":
		return Cause{Detail: name + "s: too many of them lie inside each other", Fix: fixNesting}
	case problem == sigsys:
		return Cause{Fix: fixOuterFilter,
			Detail: name + "s: a filter around this process ends whoever asks for them (SIGSYS)"}
	case problem == "EINVAL" || problem == "ENOSYS":
		return Cause{Detail: name + "s: the kernel was built without them", Fix: fixKernelConfig}
	case denied && s.Sysctl(debianSwitch) == "0" && !s.Root:
		return Cause{Detail: "forbidden to ordinary users: " + debianSwitch + " is 0",
			Fix: fixSysctl(debianSwitch, "1")}
	case denied && s.Chrooted:
		return Cause{Detail: "refused inside a chroot (" + problem + ")", Fix: fixChroot}
	case denied && s.Filtered:
		return Cause{Detail: "refused (" + problem + ") by a seccomp filter that was there before: of the " +
			"container or systemd unit, or of the program that started this one", Fix: fixOuterFilter}
	case denied && s.Sysctl(apparmorSwitch) == "1":
		return Cause{Detail: "refused (" + problem + ") by AppArmor: " + apparmorSwitch + " is 1",
			Fix: fixAppArmor(s.Self)}
	case denied:
		return Cause{Detail: name + " refused: " + problem, Fix: fixAskOwner}
	}
	return s.laterRefused(r, withoutNetwork)
}

// laterRefused is the cause where namespaces could be made, and a step in them was refused.
func (s *Environment) laterRefused(r *order.Refusal, withoutNetwork bool) Cause {
	if !slices.Contains([]order.Layer{order.Namespaces, order.Root, order.Network}, r.Layer) {
		if _, tried := s.Call(order.TryUser); tried {
			return Cause{Elsewhere: true,
				Detail: "can be made; full confinement was refused for another reason: " + r.Error()}
		}
		return Cause{Detail: "not tried, for a launch came to nothing before: " + r.Error(), Fix: r.Hint}
	}
	step := r.Op
	if r.Path != "" {
		step += " " + r.Path
	}
	step += ": " + strings.TrimPrefix(r.Err.Error(), r.Op+": ")
	unused := "can be made and not used"
	if withoutNetwork {
		unused = "refused"
	}
	errno := errnoOf(r)
	isDenied := slices.Contains(denied, errno)
	switch {
	case isDenied && s.Sysctl(apparmorSwitch) == "1" && !s.Root:
		return Cause{Detail: unused + " (" + step + "): " + apparmorSwitch + " is 1", Fix: fixAppArmor(s.Self)}
	case isDenied && s.Root && !s.Admin:
		return Cause{Detail: "this root has no CAP_SYS_ADMIN (" + step + ")", Fix: fixWeakRoot}
	case isDenied && s.Filtered:
		return Cause{Detail: unused + " (" + step + "): what this process runs in forbids it", Fix: fixOuterFilter}
	case errno == syscall.ENOSYS && s.Filtered && r.Op != "openat2": // the refusal's own hint names that call's filters
		return Cause{Detail: unused + " (" + step + "): what this process runs in hides the call", Fix: fixOuterFilter}
	case errno == syscall.EINVAL && r.Op == "pivot_root":
		return Cause{Detail: "the root is the initramfs, which cannot be left by pivot_root(2)", Fix: fixInitramfs}
	}
	return Cause{Detail: unused + ": " + step, Fix: r.Hint}
}

// NoSockets is the remedy where the launcher cannot make a server's sockets, for the error of that.
func (s *Environment) NoSockets(why string) string {
	yama := s.Sysctl("kernel.yama.ptrace_scope")
	switch {
	case strings.Contains(why, "busy"):
		return fixOtherListener
	case yama == "2" || yama == "3":
		fix := "the launcher reads which address a server connects to, and kernel.yama.ptrace_scope is " + yama +
			": `sysctl -w kernel.yama.ptrace_scope=1`"
		if yama == "3" {
			return fix + ", after a restart"
		}
		return fix + ", or CAP_SYS_PTRACE for the launcher"
	case strings.Contains(why, "invalid argument"):
		return "Linux 5.14 or later"
	case s.Root:
		return "start it as an ordinary user: a root launcher without CAP_SYS_PTRACE cannot read the memory of " +
			"another user's server"
	}
	return ""
}

// fixOtherListener is for a seccomp listener of another program around this process.
const fixOtherListener = "start it outside of the program that has a seccomp listener around this process: another " +
	"sandbox, or a container engine that intercepts system calls"
