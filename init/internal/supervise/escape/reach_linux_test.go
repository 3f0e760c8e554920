package escape_test

import "golang.org/x/sys/unix"

// files: no way round a grant, a denial, or a mount's flags.
func files() []row {
	const changed = "EROFS EACCES EPERM"
	return []row{
		{name: "openat(0, ..)", act: call(unix.SYS_OPENAT, "0 s:.. 0"), in: "ENOTDIR", control: call(unix.SYS_OPENAT, "-100 s:.. 0")},
		{name: "fchdir(1)", act: call(unix.SYS_FCHDIR, "1"), in: "ENOTDIR", control: call(unix.SYS_FCHDIR, "o:/")},
		{name: "up from the working folder", act: "read /proc/self/cwd/../..S/home/key", in: "ENOENT", control: "read /proc/self/cwd/home/key"},
		{name: "up from the root", act: "read /proc/self/root/../..S/home/key", in: "ENOENT"},
		{name: "through a descriptor", act: "list /proc/self/fd/0/..", in: "ENOTDIR ENOENT EACCES", control: "list /proc/self/cwd/.."},
		{name: "overwrite /proc/self/exe", act: call(unix.SYS_OPENAT, "-100 s:/proc/self/exe 2"), in: changed, out: "ETXTBSY EACCES"},
		{name: "chmod in a read grant", act: "chmod 600 S/read/file", in: changed, control: "chmod 666 S/read/file"},
		{name: "chown in a read grant", act: call(unix.SYS_FCHOWNAT, "-100 s:S/read/file -1 -1 0"), in: changed},
		{name: "utimes in a read grant", act: call(unix.SYS_UTIMENSAT, "-100 s:S/read/file 0 0"), in: changed},
		{name: "xattr in a read grant", act: call(unix.SYS_SETXATTR, "s:S/read/file s:user.x s:y 1 0"), in: changed},
		{name: "truncate in a read grant", act: call(unix.SYS_TRUNCATE, "s:S/read/file 6"), in: changed},
		{name: "unnamed file in a read grant", act: call(unix.SYS_OPENAT, "-100 s:S/read 0x410002 0600"), in: changed},
		{name: "link into a read grant", act: "link S/write/note S/read/new", in: "EROFS EXDEV EACCES"},
		{name: "exchange across grants", act: call(unix.SYS_RENAMEAT2, "-100 s:S/write/note -100 s:S/read/file 2"), in: "EROFS EXDEV EACCES"},
		{name: "a denied file", act: "read S/write/a/b/secret", in: "EACCES"},
		{name: "remove a denied file", act: "remove S/write/a/b/secret", in: "EBUSY EACCES EXDEV", control: "write S/home/gone -- remove S/home/gone"},
		{name: "rename a denied file", act: "rename S/write/a/b/secret S/write/s", in: "EBUSY EACCES EXDEV", control: "rename S/write/a/b/secret S/write/s -- rename S/write/s S/write/a/b/secret"},
		{name: "rename its folder", act: "rename S/write/a/b S/write/x", in: "EBUSY EXDEV", control: "rename S/write/a/b S/write/x -- rename S/write/x S/write/a/b"},
		{name: "rename its folder's folder", act: "rename S/write/a S/write/x", in: "EBUSY EXDEV", control: "rename S/write/a S/write/x -- rename S/write/x S/write/a"},
		{name: "rename above a frozen file", act: "rename S/write/c/d S/write/x", in: "EBUSY EXDEV", control: "rename S/write/c/d S/write/x -- rename S/write/x S/write/c/d"},
		{name: "rename further above", act: "rename S/write/c S/write/x", in: "EBUSY EXDEV", control: "rename S/write/c S/write/x -- rename S/write/x S/write/c"},
		{name: "hard link to a denied file", act: "link S/write/a/b/secret S/write/hard", in: "EXDEV EACCES EPERM"},
		{name: "setuid by chmod", act: "chmod 4755 S/write/note", in: "EPERM", control: "chmod 4755 S/write/note -- chmod 666 S/write/note"},
		{name: "setuid at creation", act: call(unix.SYS_OPENAT, "-100 s:S/write/suid 0x41 04755"), in: "EPERM", control: call(unix.SYS_OPENAT, "-100 s:S/home/suid 0x41 04755")},
		{name: "setuid without a name", act: call(unix.SYS_OPENAT, "-100 s:S/write 0x410002 04755"), in: "EPERM"},
		{name: "openat2", act: call(unix.SYS_OPENAT2, "-100 s:/ b:24 24"), in: "ENOSYS"},
		{name: "handle of a file", act: call(unix.SYS_NAME_TO_HANDLE_AT, "-100 s:S/read/file b:128 b:8 0"), in: "EPERM", out: "EOVERFLOW"},
		{name: "open by handle", act: call(unix.SYS_OPEN_BY_HANDLE_AT, "-1 b:128 0"), in: "EPERM", root: true, out: "EBADF EINVAL"},
		{name: "make a device", act: call(unix.SYS_MKNODAT, "-100 s:S/write/null 0020666 0x103"), in: "EPERM", root: true,
			control: call(unix.SYS_MKNODAT, "-100 s:S/home/null 0020666 0x103")},
		{name: "a device in a write grant", act: "read S/write/device", in: "EACCES", root: true},
	}
}

// sockets: every family and protocol that would leave the network namespace or widen the kernel's surface.
func sockets() []row {
	const none = "EAFNOSUPPORT"
	return []row{
		{name: "raw", act: "socket 2 3 1", in: none, right: true},
		{name: "raw IPv6", act: "socket 10 3 58", in: none, right: true, out: none},
		{name: "SCTP", act: "socket 2 1 132", in: none, control: "socket 2 1 6"},
		{name: "VSOCK", act: "socket 40 1 0", in: none, control: "socket 1 1 0"},
		{name: "ALG", act: "socket 38 5 0", in: none, control: "socket 1 5 0"},
		{name: "MPTCP over IPv6", act: "socket 10 1 262", in: none, control: "socket 10 1 6", out: none},
		{name: "netlink sock_diag", act: "socket 16 3 4", in: none},
		{name: "netlink audit", act: "socket 16 3 9", in: none, control: "socket 16 3 0"},
		{name: "netlink netfilter", act: "socket 16 3 12", in: none, control: "socket 16 3 0"},
		{name: "netlink uevent", act: "socket 16 3 15", in: none},
		{name: "netlink generic", act: "socket 16 3 16", in: none},
		{name: "v4-mapped TCP to the host", act: "mapped =P", in: "ECONNREFUSED EACCES"},
		{name: "TCP fast open to the host", act: "fast-open =P", in: "ECONNREFUSED EACCES EOPNOTSUPP"},
	}
}

// kernel: its own surfaces.
func kernel() []row {
	const hidden = "EACCES EPERM ENOENT EROFS"
	const unbuilt = "ENOENT" // a kernel may be built without these files, and then nothing is shown but that
	open := func(path, flags string) string { return call(unix.SYS_OPENAT, "-100 s:"+path+" "+flags) }
	return []row{
		{name: "add_key", act: call(unix.SYS_ADD_KEY, "s:user s:x s:y 1 -2"), in: "EPERM"},
		{name: "request_key", act: call(unix.SYS_REQUEST_KEY, "s:user s:x 0 0"), in: "EPERM", out: "ENOKEY"},
		{name: "io_uring", act: call(unix.SYS_IO_URING_SETUP, "1 b:120"), in: "ENOSYS"},
		{name: "bpf", act: call(unix.SYS_BPF, "9999 0 0"), in: "EPERM", out: "EINVAL", right: true},
		{name: "userfaultfd", act: call(unix.SYS_USERFAULTFD, "1"), in: "EPERM"},
		{name: "kcore", act: open("/proc/kcore", "0"), in: hidden, root: true, out: unbuilt},
		{name: "sysrq", act: open("/proc/sysrq-trigger", "1"), in: hidden, root: true, out: unbuilt},
		{name: "core_pattern", act: open("/proc/sys/kernel/core_pattern", "1"), in: hidden, root: true, out: unbuilt},
		{name: "modprobe", act: open("/proc/sys/kernel/modprobe", "1"), in: hidden, root: true, out: unbuilt},
		{name: "sys/kernel", act: "list /sys/kernel", in: "ENOENT"},
		{name: "cgroup files", act: "list /sys/fs/cgroup", in: "ENOENT"},
		{name: "another's process, all signals", act: "kill =H 0", in: "ESRCH"},
	}
}
