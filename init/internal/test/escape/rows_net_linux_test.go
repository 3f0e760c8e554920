package escape_test

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// sockets: every family and protocol that would leave the network namespace or widen the kernel's surface.
// What is said to addresses is in net_linux_test.go, which has some of its own.
func sockets() []row {
	const none = "EAFNOSUPPORT"
	const unbuilt = none + ": this kernel is built without it, and says the same; the families of one word, and the filter's tests, stand for it"
	const protocol = "EPROTONOSUPPORT ESOCKTNOSUPPORT" // the kernel has looked at the protocol, and so has let the family pass
	all := []row{
		{name: "families that there are", act: "families", never: " 17", control: "families", right: true},
		{name: "raw", act: "socket 2 3 1", in: none, right: true},
		{name: "raw IPv6", act: "socket 10 3 58", in: none, right: true, out: none},
		{name: "packet", act: "socket 17 3 0x300", in: none, right: true},
		{name: "ping", act: "socket 2 2 1", in: none, out: "EACCES"},
		{name: "SCTP", act: "socket 2 1 132", in: none, out: protocol},
		{name: "DCCP", act: "socket 2 6 33", in: none, out: protocol},
		{name: "UDP-Lite", act: "socket 2 2 136", in: none, out: protocol},
		{name: "MPTCP", act: "socket 2 1 262", in: none, out: protocol},
		{name: "MPTCP over IPv6", act: "socket 10 1 262", in: none, out: protocol, weak: unbuilt},
		{name: "VSOCK", act: "socket 40 1 0", in: none, weak: unbuilt},
		{name: "VSOCK to the loopback", act: "connect 40 1 0 1 1024", in: none, out: "ENODEV ECONNRESET ETIMEDOUT EINPROGRESS ENOTCONN EHOSTUNREACH EAGAIN", weak: unbuilt},
		{name: "ALG", act: "socket 38 5 0", in: none, weak: unbuilt},
		{name: "KEY", act: "socket 15 3 2", in: none, right: true, weak: unbuilt},
		{name: "XDP", act: "socket 44 3 0", in: none, right: true, weak: unbuilt},
		{name: "SMC", act: "socket 43 1 0", in: none, weak: unbuilt},
		{name: "a pair of inet", act: call(unix.SYS_SOCKETPAIR, "2 1 0 b:8"), in: none, out: "ENOTSUP"},
		{name: "add an address", act: "add-address", in: "EPERM", right: true},
		{name: "an abstract socket of the host", act: "unix =A", in: "ECONNREFUSED EPERM EAFNOSUPPORT"},
		{name: "a socket by a path that is not granted", act: "unix S/home/socket", in: "ENOENT EACCES EAFNOSUPPORT"},
		{name: "a socket in a granted folder", act: "unix S/read/socket", in: "EACCES EAFNOSUPPORT"},
		{name: "TCP to the host's loopback", act: "connect 2 1 6 127.0.0.1 =P", in: "ECONNREFUSED EACCES", not: "network"},
		{name: "TCP over IPv6, v4-mapped", act: "connect 10 1 6 127.0.0.1 =P", in: "ECONNREFUSED EACCES", not: "network"},
		{name: "TCP fast open", act: "fast-open 127.0.0.1 =P", in: "ECONNREFUSED EACCES EOPNOTSUPP ENOTSUP", not: "network"},
	}
	for p, name := range []string{"", "", "usersock", "", "sock_diag", "nflog", "xfrm", "selinux", "iscsi", "audit", "fib_lookup", "connector",
		"netfilter", "", "", "uevent", "generic", "", "scsi", "ecryptfs", "rdma", "crypto", "smc"} {
		if name != "" {
			all = append(all, row{name: "netlink " + name, act: fmt.Sprint("socket 16 3 ", p), in: none, out: protocol})
		}
	}
	return all
}

// shared: objects that have no path, or one that is everybody's.
func shared() []row {
	return []row{
		{name: "System V shared memory, by key", act: call(unix.SYS_SHMGET, "=M 0 0"), in: "ENOENT"},
		{name: "System V shared memory, by id", act: call(unix.SYS_SHMAT, "=K 0 0x1000"), in: "EINVAL"},
		{name: "System V queue, by key", act: call(unix.SYS_MSGGET, "=Q 0"), in: "ENOENT"},
		{name: "System V queue, by id", act: call(unix.SYS_MSGCTL, "=L 2 b:128"), in: "EINVAL"},
		{name: "System V semaphores, by key", act: call(unix.SYS_SEMGET, "=N 0 0"), in: "ENOENT"},
		{name: "System V semaphores, by id", act: call(unix.SYS_SEMCTL, "=J 0 12 0"), in: "EINVAL"},
		{name: "POSIX shared memory", act: "read /dev/shm/=O", in: "ENOENT"},
		{name: "POSIX queue", act: call(unix.SYS_MQ_OPEN, "s:=O 0"), in: "ENOENT"},
		{name: "POSIX queue, for removal", act: call(unix.SYS_MQ_UNLINK, "s:=O-none"), in: "ENOENT", out: "ENOENT"},
		{name: "the host's objects in /proc", act: "lines /proc/sysvipc/shm =M", never: "=M", weak: "ENOENT: no list in /proc"},
	}
}

// kernel: its own surfaces.
func kernel() []row {
	const hidden = "EACCES EPERM ENOENT EROFS"
	const unbuilt = "ENOENT: this kernel is built without the file, so nothing shows but its absence"
	const nocall = "ENOSYS: this kernel is built without the call; the filter's tests stand for it"
	open := func(path, flags string) string { return call(unix.SYS_OPENAT, "-100 s:"+path+" "+flags) }
	return []row{
		{name: "names of the host's keys", act: "read /proc/keys", in: "EACCES ENOENT", weak: unbuilt},
		{name: "the session's keyring", act: "keyctl", in: "EPERM"},
		{name: "add_key", act: call(unix.SYS_ADD_KEY, "s:user s:x s:y 1 -2"), in: "EPERM", weak: nocall},
		{name: "request_key", act: call(unix.SYS_REQUEST_KEY, "s:user s:x 0 0"), in: "EPERM", out: "ENOKEY", weak: nocall},
		{name: "the user's keyring", act: call(unix.SYS_KEYCTL, "0 -4 0"), in: "EPERM", weak: nocall},
		{name: "io_uring", act: call(unix.SYS_IO_URING_SETUP, "1 b:120"), in: "ENOSYS", out: "EPERM"},
		{name: "enter an io_uring", act: call(unix.SYS_IO_URING_ENTER, "-1 0 0 0 0 0"), in: "ENOSYS", out: "EBADF"},
		{name: "bpf", act: call(unix.SYS_BPF, "9999 0 0"), in: "EPERM", out: "EINVAL EFAULT", root: true},
		{name: "perf", act: call(unix.SYS_PERF_EVENT_OPEN, "0 0 -1 -1 0"), in: "EPERM", out: "EFAULT EACCES", weak: nocall},
		{name: "userfaultfd", act: call(unix.SYS_USERFAULTFD, "1"), in: "EPERM", weak: nocall},
		{name: "hidden memory", act: call(unix.SYS_MEMFD_SECRET, "0"), in: "EPERM", weak: nocall},
		{name: "the kernel's log", act: call(unix.SYS_SYSLOG, "10 0 0"), in: "EPERM", root: true},
		{name: "a module", act: call(unix.SYS_INIT_MODULE, "0 0 0"), in: "EPERM", out: "EFAULT EINVAL ENOEXEC", root: true, weak: nocall},
		{name: "another kernel", act: call(unix.SYS_KEXEC_LOAD, "0 99 0 0"), in: "EPERM", out: "EINVAL", root: true, weak: nocall},
		{name: "reboot", act: call(unix.SYS_REBOOT, "0 0 0 0"), in: "EPERM", out: "EINVAL", root: true},
		{name: "swap", act: call(unix.SYS_SWAPOFF, "s:/no/such"), in: "EPERM", out: "ENOENT", root: true, weak: nocall},
		{name: "accounting", act: call(unix.SYS_ACCT, "s:/no/such"), in: "EPERM", out: "ENOENT", root: true, weak: nocall},
		{name: "quotas", act: call(unix.SYS_QUOTACTL, "0x80000100 0 0 0"), in: "EPERM", out: "EFAULT ENODEV EINVAL ENOTBLK", weak: nocall},
		{name: "the clock", act: call(unix.SYS_CLOCK_SETTIME, "0 0"), in: "EPERM", out: "EFAULT", root: true},
		{name: "the host's name", act: call(unix.SYS_SETHOSTNAME, "s:x -1"), in: "EPERM", out: "EINVAL", right: true},
		{name: "x32", act: call(0x40000000|unix.SYS_GETPID, ""), in: "ENOSYS", weak: "ENOSYS: this kernel answers no x32 call (CONFIG_X86_X32_ABI, syscall.x32); the filter's tests stand for it"},
		{name: "the kernel's memory", act: open("/proc/kcore", "0"), in: hidden, root: true, weak: unbuilt},
		{name: "pages of the machine", act: open("/proc/kpagecount", "0"), in: hidden, root: true, weak: unbuilt},
		{name: "sysrq", act: open("/proc/sysrq-trigger", "1"), in: hidden, root: true, weak: unbuilt},
		{name: "core_pattern", act: open("/proc/sys/kernel/core_pattern", "1"), in: hidden, root: true},
		{name: "modprobe", act: open("/proc/sys/kernel/modprobe", "1"), in: hidden, root: true, weak: unbuilt},
		{name: "drop_caches", act: open("/proc/sys/vm/drop_caches", "1"), in: hidden, root: true, weak: unbuilt},
		{name: "interrupts", act: open("/proc/irq/default_smp_affinity", "1"), in: hidden, root: true, weak: unbuilt},
		{name: "max_user_namespaces", act: open("/proc/sys/user/max_user_namespaces", "1"), in: hidden, right: true, weak: unbuilt},
		{name: "the kernel's folder in /sys", act: "list /sys/kernel", in: "ENOENT"},
		{name: "cgroup files", act: "list /sys/fs/cgroup", in: "ENOENT"},
		{name: "cgroup release_agent", act: open("/sys/fs/cgroup/memory/release_agent", "0"), in: "ENOENT", weak: "ENOENT: no cgroup version 1 here; that /sys is empty stands for it"},
	}
}
