package launcher

import (
	"strconv"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

const (
	debianSwitch   = "kernel.unprivileged_userns_clone"
	apparmorSwitch = "kernel.apparmor_restrict_unprivileged_userns"
)

// struck is the problem of a call that its caller does not survive.
const struck = "SIGSYS"

// A cause is why full confinement was refused, and the remedy.
type cause struct {
	detail, fix string
	elsewhere   bool // something else was refused
}

func remedied(detail, fix string) cause { return cause{detail: detail, fix: fix} }

// cause finds it from where the trial was refused, from the single calls, and from what the machine says of itself.
func (f *findings) cause() cause {
	r, a := f.full.refused, &f.around
	if r == nil {
		return remedied(untried, "")
	}
	name, sysctl, problem := f.kind()
	denied := problem == "EPERM" || problem == "EACCES"
	switch {
	case a.strangeProc: // no launch begins
		return remedied("not tried, for /proc shows the processes of another pid namespace", r.Hint)
	case a.wsl == 1:
		return remedied("WSL 1 has no Linux kernel of its own, and no namespaces", "in Windows: `wsl --set-version DISTRIBUTION 2`")
	case problem == "ENOSPC" && a.sysctls[sysctl] == "0":
		return remedied(name+"s are forbidden: "+sysctl+" is 0", fixSysctl(sysctl, "15000"))
	case problem == "ENOSPC":
		return remedied(name+"s: the limit "+sysctl+" is used up, here or in a user namespace around this process", fixSysctl(sysctl, twice(a.sysctls[sysctl])))
	case problem == "EUSERS":
		return remedied(name+"s: too many of them lie inside each other", "start fewer sandboxes inside each other")
	case problem == struck:
		return remedied(name+"s: a filter around this process ends whoever asks for them (SIGSYS)", fixAround())
	case problem == "EINVAL" || problem == "ENOSYS":
		return remedied(name+"s: the kernel was built without them", "a kernel with CONFIG_USER_NS, CONFIG_PID_NS, CONFIG_IPC_NS, CONFIG_UTS_NS and CONFIG_NET_NS")
	case denied && a.sysctls[debianSwitch] == "0" && !a.root:
		return remedied("forbidden to ordinary users: "+debianSwitch+" is 0", fixSysctl(debianSwitch, "1"))
	case denied && a.chrooted:
		return remedied("refused inside a chroot ("+problem+")", "start it outside of the chroot, or enter the folder by `bwrap --bind FOLDER / …`, whose root is a real one")
	case denied && a.filtered:
		return remedied("refused ("+problem+") by a seccomp filter that was there before: of the container or systemd unit, or of the program that started this one", fixAround())
	case denied && a.sysctls[apparmorSwitch] == "1":
		return remedied("refused ("+problem+") by AppArmor: "+apparmorSwitch+" is 1", f.fixAppArmor())
	case denied:
		return remedied(name+" refused: "+problem, "ask whoever runs this machine: a security module, or the program that started this one, forbids them")
	}
	return f.later(r)
}

// twice is more than a limit that is used up.
func twice(limit string) string {
	if n, err := strconv.Atoi(limit); err == nil && n > 7500 && n < 1<<29 {
		return strconv.Itoa(2 * n)
	}
	return "15000"
}

// later are refusals of what is done in the namespaces, which could be made.
func (f *findings) later(r *Error) cause {
	a := &f.around
	said := r.Op
	if r.Path != "" {
		said += " " + r.Path
	}
	said += ": " + strings.TrimPrefix(r.Err.Error(), r.Op+": ")
	unused := "can be made and not used"
	if f.shared.ran() {
		unused = "refused"
	}
	errno := f.full.errno()
	denied := errno == syscall.EPERM || errno == syscall.EACCES
	switch r.Layer {
	case order.Namespaces, order.Root, order.Network:
	default: // nothing that namespaces are to blame for
		if _, known := f.call(order.TryUser); known {
			return cause{detail: "can be made; full confinement was refused for another reason: " + r.Error(), elsewhere: true}
		}
		return cause{detail: "not tried, for a launch came to nothing before: " + r.Error(), fix: r.Hint}
	}
	switch {
	case denied && a.sysctls[apparmorSwitch] == "1" && !a.root:
		return remedied(unused+" ("+said+"): "+apparmorSwitch+" is 1", f.fixAppArmor())
	case denied && a.root && !a.admin:
		return remedied("this root has no CAP_SYS_ADMIN ("+said+")", fixWeakRoot)
	case denied && a.filtered:
		return remedied(unused+" ("+said+"): what this process runs in forbids it", fixAround())
	case errno == syscall.ENOSYS && a.filtered && r.Op != "openat2": // the refusal's own hint knows who hides that call
		return remedied(unused+" ("+said+"): what this process runs in hides the call", fixAround())
	case errno == syscall.EINVAL && r.Op == "pivot_root":
		return remedied("the root is the initramfs, which cannot be left by pivot_root(2)", "switch_root(8) to a real file system first")
	}
	return remedied(unused+": "+said, r.Hint)
}
