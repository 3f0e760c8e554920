package supervise

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/stdio"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// hints are what to do about what was refused, each once.
func (s *shim) hints() string {
	var all []string
	for _, r := range s.refused {
		if h := hintOf(r); h != "" && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return strings.Join(all, "; ")
}

// hintOf is the hint of a refusal that may have no errno.
func hintOf(r *order.Refusal) string {
	var struck killedBy
	var errno syscall.Errno
	switch {
	case errors.As(r.Err, &struck) && struck.sig == unix.SIGSYS && r.Layer == order.Exec:
		return NeedsSockets
	case errors.As(r.Err, &struck) && struck.sig == unix.SIGSYS && r.Layer != order.Landlock && r.Layer != order.Seccomp:
		return "let what the launcher runs in allow the calls of mounts and namespaces: in a systemd unit, @mount in SystemCallFilter="
	case errors.As(r.Err, &struck) && struck.sig == unix.SIGSYS:
		return "let what the launcher runs in allow Landlock and seccomp: in a systemd unit, " + inUnit
	case errors.As(r.Err, new(noProc)):
		return "Java, Node and others need /proc, so full without one is for minConfinement full alone; full gets its own where the launcher's is " +
			"not masked: a container's unmask=ALL (podman), systempaths=unconfined (Docker) or procMount: Unmasked (Kubernetes), a unit's " +
			"ProtectKernelTunables=no, ProtectKernelLogs=no"
	case inProc(r):
		return "/proc hides the processes of others, init among them, as the mount option hidepid and a systemd unit's ProtectProc=invisible do: ProtectProc=default"
	}
	errors.As(r.Err, &errno)
	return hint(r.Layer, r.Op, errno)
}

// inUnit is what lets Landlock and seccomp through a unit's filter. The set @sandbox is younger than systemd 252.
const inUnit = "landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp in SystemCallFilter=, or @sandbox where systemd knows that set"

// hint is what to do about a refusal, where there is something to do.
func hint(l order.Layer, op string, e syscall.Errno) string {
	switch {
	case l == order.Namespaces && op == opProc:
		return "`mount -t proc proc /proc` in the pid namespace that the launcher runs in, as `unshare --mount-proc` and `bwrap --proc /proc` do"
	case l == order.Namespaces && op == opLook && e == unix.ENOENT:
		return "/proc shows no namespaces here, as gVisor's does not: full confinement could not be proved"
	case l == order.Namespaces && op == "clone" && e == unix.ENOSPC: // of whichever kind there are too many; the kernel does not say
		return "this machine forbids user namespaces, or one of the other kinds: see the sysctls user.max_user_namespaces, user.max_net_namespaces and their like"
	case l == order.Namespaces && op == "clone" && (e == unix.EPERM || e == unix.EACCES):
		return "this machine forbids user namespaces, or one of the other kinds, by the sysctl kernel.unprivileged_userns_clone or by a security module, " +
			"or what the launcher runs in does, as a container's filter or a chroot: `mcp-sandbox doctor` tells which, and what to do"
	case l == order.Root && op == "open_tree" && e == unix.EPERM && unix.Geteuid() == 0:
		return "a root launcher opens the grants for the server's user, which takes CAP_SYS_ADMIN: start it as an ordinary user"
	case l == order.Namespaces && e == unix.EROFS:
		return "user namespaces need a /proc that can be written to: here it is mounted read-only"
	case (l == order.Namespaces || l == order.Root || l == order.Network) && (e == unix.EPERM || e == unix.EACCES) && op != opPrivate:
		return "user namespaces can be made here and not used, as under Ubuntu's AppArmor (kernel.apparmor_restrict_unprivileged_userns) " +
			"or a container's filter: `mcp-sandbox doctor` tells which, and what to do"
	case op == "clone" && e == unix.EAGAIN:
		return "the user has too many processes: raise ulimit -u, or end some"
	case op == "program" && e == unix.EFBIG:
		return "the limit of file size (ulimit -f) is below the 8 MiB that a launch needs: raise it, and limit the server by limits.fileSize"
	case l == order.Exec && op == "socketpair", l == order.Descriptors && op == stdio.OpUse && e != 0: // which socket it is could not be asked
		return NeedsSockets
	case op == "ptrace":
		return "subprocess.allow false needs ptrace(2) from one of the launcher's processes to another, which this machine forbids: see kernel.yama.ptrace_scope, or set subprocess.allow to true"
	case l == order.Seccomp && op == "seccomp":
		return "a filter takes a kernel with CONFIG_SECCOMP_FILTER, and nothing around the launcher that refuses seccomp(2): in a systemd unit, " + inUnit
	case l == order.Landlock && e == unix.EOPNOTSUPP:
		return "Landlock was not started at boot: add landlock to the kernel's parameter lsm="
	case l == order.Landlock && strings.HasPrefix(op, "landlock_"):
		return "Landlock takes Linux 5.13 or later, and no filter around the launcher that refuses its calls: in a systemd unit, " + inUnit
	case op == "openat2" && e == unix.ENOSYS && newKernel():
		return "what the launcher runs in refuses openat2(2), as a systemd unit does with RestrictSUIDSGID=yes, or DynamicUser=yes, which sets it: RestrictSUIDSGID=no"
	case e == unix.ENOSYS && newKernel():
		return "this kernel has the call, and what the launcher runs in refuses it"
	case e == unix.ENOSYS:
		return "this kernel is too old: Linux 5.12 has all that full confinement needs"
	case l == order.Network && e == unix.EAFNOSUPPORT:
		return "a sandbox's own network takes sockets of AF_INET and AF_NETLINK: in a systemd unit, both in RestrictAddressFamilies="
	case e == unix.ENOSPC && l == order.Root:
		return "the private folders are too small for what the policy names: raise filesystem.tmpSize"
	case l == order.Landlock && op == "openat" && e == unix.EACCES:
		return "the server's user may not go there, and without namespaces nobody can open it for it: name another by --user, or grant what it may enter"
	case l == order.Privileges && op == "give up user 0":
		return "this container's root has no other id to give the server: start the launcher as an ordinary user"
	case e == unix.EMFILE:
		return "the limit of open files is too low for a launch with these grants: raise ulimit -n"
	}
	return ""
}

// newKernel reports whether the kernel has every call that full needs: what is missing then is hidden.
func newKernel() bool {
	release, err := platform.Kernel()
	return err == nil && atLeast(release, 5, 12)
}
