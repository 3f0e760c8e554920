package diagnose

import (
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

var (
	inNamespaces = []order.Layer{order.Namespaces}
	inRoot       = []order.Layer{order.Root}
	inNetwork    = []order.Layer{order.Network}
	inLandlock   = []order.Layer{order.Landlock}
	inSeccomp    = []order.Layer{order.Seccomp}
	inExec       = []order.Layer{order.Exec}
	inPolicy     = []order.Layer{order.Policy}

	denied = []syscall.Errno{syscall.EPERM, syscall.EACCES}
	noCall = []syscall.Errno{syscall.ENOSYS}
)

// byTracer is the remedy where a tracer changes system calls.
const byTracer = "another program traces the launcher and changes its system calls, as proot does: nothing can be " +
	"held there, so start mcp-sandbox outside of it"

// onLinux are the hints for refusals of a Linux kernel.
var onLinux = [...]hintRow{
	// A port of this machine for a server.
	{layers: inNetwork, op: "publish", errnos: []syscall.Errno{syscall.EADDRINUSE},
		hint: "another program, perhaps another launch, has that port: name a free HOSTPORT, or 0 for any"},
	{layers: inNetwork, op: "publish", errnos: denied,
		hint: "ports below net.ipv4.ip_unprivileged_port_start, mostly 1024, are root's: name a higher HOSTPORT"},
	{layers: inNetwork, op: "publish", errnos: []syscall.Errno{syscall.EADDRNOTAVAIL},
		hint: "name an address of this machine, or leave it out for 127.0.0.1"},

	// A tracer in between.
	{layers: inExec, op: OpRunner, when: isTraced, hint: byTracer},
	{layers: inNamespaces, op: OpLook, errnos: []syscall.Errno{syscall.ENOENT}, when: isTraced, hint: byTracer},

	// A packet inside the sandbox.
	{layers: inNetwork, op: "sendto", errnos: []syscall.Errno{syscall.EPERM},
		hint: "a packet filter around the launcher, as a systemd unit's IPAddressDeny=, refuses the packets inside " +
			"the sandbox too: take it away, or start the server without a list of domains"},

	// A process of the launch was killed.
	{layers: inExec, when: killedByFilter, hint: NeedsSockets},
	{layers: []order.Layer{order.Landlock, order.Seccomp}, when: killedByFilter,
		hint: "let what the launcher runs in allow Landlock and seccomp: in a systemd unit, " + inUnit},
	{when: killedByFilter,
		hint: "let what the launcher runs in allow the calls of mounts and namespaces: in a systemd unit, @mount " +
			"in SystemCallFilter="},

	// /proc.
	{when: withoutProc,
		hint: "Java, Node and others need /proc, so full without one is for minConfinement full alone; full gets " +
			"its own where the launcher's is not masked: a container's unmask=ALL (podman), " +
			"systempaths=unconfined (Docker) or procMount: Unmasked (Kubernetes), a unit's " +
			"ProtectKernelTunables=no, ProtectKernelLogs=no"},
	{when: withHiddenProc,
		hint: "/proc hides the processes of others, init among them, as the mount option hidepid and a systemd " +
			"unit's ProtectProc=invisible do: ProtectProc=default"},
	{layers: inNamespaces, op: OpProc,
		hint: "`mount -t proc proc /proc` in the pid namespace that the launcher runs in, as `unshare " +
			"--mount-proc` and `bwrap --proc /proc` do"},
	{layers: inNamespaces, op: OpLook, errnos: []syscall.Errno{syscall.ENOENT},
		hint: "/proc shows no namespaces here, as gVisor's does not: full confinement could not be proved"},

	// Namespaces, and operations in them. clone(2) does not say of which kind there are too many.
	{layers: inNamespaces, op: "clone", errnos: []syscall.Errno{syscall.ENOSPC},
		hint: "this machine forbids user namespaces, or one of the other kinds: see the sysctls " +
			"user.max_user_namespaces, user.max_net_namespaces and their like"},
	{layers: inNamespaces, op: "clone", errnos: denied,
		hint: "this machine forbids user namespaces, or one of the other kinds, by the sysctl " +
			"kernel.unprivileged_userns_clone or by a security module, or what the launcher runs in does, as a " +
			"container's filter or a chroot: `mcp-sandbox doctor` tells which, and what to do"},
	{layers: inRoot, op: "open_tree", errnos: []syscall.Errno{syscall.EPERM}, when: asRoot,
		hint: "a root launcher opens the grants for the server's user, which takes CAP_SYS_ADMIN: start it as an " +
			"ordinary user"},
	{layers: inNamespaces, errnos: []syscall.Errno{syscall.EROFS},
		hint: "user namespaces need a /proc that can be written to: here it is mounted read-only"},
	{layers: inRoot, op: "chdir", errnos: denied,
		hint: "the server's user may not enter that folder: key cwd names another folder, and key user, of a root " +
			"launcher, another user"},
	{layers: []order.Layer{order.Namespaces, order.Root, order.Network}, errnos: denied, when: notThePrivateFolder,
		hint: "user namespaces can be made here and not used, as under Ubuntu's AppArmor " +
			"(kernel.apparmor_restrict_unprivileged_userns) or a container's filter: `mcp-sandbox doctor` tells " +
			"which, and what to do"},

	// The launcher's own needs. Which socket a refused descriptor is could not be asked.
	{op: "clone", errnos: []syscall.Errno{syscall.EAGAIN},
		hint: "the user has too many processes: raise ulimit -u, or end some"},
	{op: "program", errnos: []syscall.Errno{syscall.EFBIG},
		hint: "the limit of file size (ulimit -f) is below the 8 MiB that a launch needs: raise it, and limit the " +
			"server by limits.fileSize"},
	{errnos: []syscall.Errno{syscall.EMFILE},
		hint: "the limit of open files is too low for a launch with these grants: raise ulimit -n"},
	{layers: inExec, op: "socketpair", hint: NeedsSockets},
	{layers: []order.Layer{order.Descriptors}, op: OpUse, when: withErrno, hint: NeedsSockets},
	{op: "ptrace",
		hint: "subprocess.allow false needs ptrace(2) from one of the launcher's processes to another, which this " +
			"machine forbids: see kernel.yama.ptrace_scope, or set subprocess.allow to true"},

	// Filters and Landlock.
	{layers: inSeccomp, op: "seccomp",
		hint: "a filter takes a kernel with CONFIG_SECCOMP_FILTER, and nothing around the launcher that refuses " +
			"seccomp(2): in a systemd unit, " + inUnit},
	{layers: inLandlock, errnos: []syscall.Errno{syscall.EOPNOTSUPP},
		hint: "Landlock was not started at boot: add landlock to the kernel's parameter lsm="},
	{layers: inLandlock, op: "landlock_*",
		hint: "Landlock takes Linux 5.13 or later, and no filter around the launcher that refuses its calls: in a " +
			"systemd unit, " + inUnit},
	{op: "openat2", errnos: noCall, when: onNewKernel,
		hint: "what the launcher runs in refuses openat2(2), as a systemd unit does with RestrictSUIDSGID=yes, or " +
			"DynamicUser=yes, which sets it: RestrictSUIDSGID=no"},
	{errnos: noCall, when: onNewKernel, hint: "this kernel has the call, and what the launcher runs in refuses it"},
	{errnos: noCall, hint: "this kernel is too old: Linux 5.12 has all that full confinement needs"},
	{layers: inNetwork, errnos: []syscall.Errno{syscall.EAFNOSUPPORT},
		hint: "a sandbox's own network takes sockets of AF_INET and AF_NETLINK: in a systemd unit, both in " +
			"RestrictAddressFamilies="},

	// The policy and the server's user.
	{layers: inRoot, errnos: []syscall.Errno{syscall.ENOSPC},
		hint: "the private folders are too small for what the policy names: raise filesystem.tmpSize"},
	{layers: inLandlock, op: "openat", errnos: []syscall.Errno{syscall.EACCES},
		hint: "the server's user may not go there, and without namespaces nobody can open it for it: name another " +
			"by the key user, or grant what it may enter"},
	{layers: []order.Layer{order.Privileges}, op: OpGiveUp,
		hint: "this container's root has no other id to give the server: start the launcher as an ordinary user"},
}

// withoutBarrier are the hints of macOS and Windows, where the shim has only limits.
var withoutBarrier = [...]hintRow{
	{layers: inPolicy, op: "reach *", when: onWindows,
		hint: "run it in a " + inWSL + ", or set minConfinement to limits"},
	{layers: inPolicy, op: "reach *", hint: "run it in a " + inLinux + ", or set minConfinement to limits"},
	{layers: inPolicy, op: "hold", when: domainsOnWindows,
		hint: "run it in a " + inWSL + ", or take level network without domains, which opens every host, or write " +
			"out minConfinement limits to start it without"},
	{layers: inPolicy, op: "hold", when: ofDomains,
		hint: "run it in a " + inLinux + ", or take level network without domains, which opens every host, or write " +
			"out minConfinement limits to start it without"},
	{layers: inPolicy, op: "hold", when: onWindows,
		hint: "run it in a " + inWSL + ", or write out minConfinement limits to start it without"},
	{layers: inPolicy, op: "hold",
		hint: "run it in a " + inLinux + ", or write out minConfinement limits to start it without"},
}
