package escape_test

import (
	"strings"

	"golang.org/x/sys/unix"
)

// processes: nothing of init, of the launcher, and of no process of the host.
func processes() (all []row) {
	const hidden = "ENOENT EACCES EPERM EROFS"
	for _, name := range []string{"environ", "mem", "maps", "smaps", "auxv", "fd", "map_files", "cwd/.", "root/.", "task/1/environ", "cmdline"} {
		all = append(all, row{name: "open /proc/1/" + name, act: call(unix.SYS_OPENAT, "-100 s:/proc/1/"+name+" 0"), in: hidden,
			control: call(unix.SYS_OPENAT, "-100 s:/proc/=H/"+replaced(name)+" 0")})
	}
	for _, name := range []string{"exe", "cwd", "root"} {
		all = append(all, row{name: "readlink /proc/1/" + name, act: call(unix.SYS_READLINKAT, "-100 s:/proc/1/"+name+" b:256 256"), in: hidden,
			control: call(unix.SYS_READLINKAT, "-100 s:/proc/=H/"+name+" b:256 256")})
	}
	for _, name := range []string{"mem", "oom_score_adj", "clear_refs", "coredump_filter", "uid_map"} {
		all = append(all, row{name: "write /proc/1/" + name, act: call(unix.SYS_OPENAT, "-100 s:/proc/1/"+name+" 1"), in: hidden,
			control: call(unix.SYS_OPENAT, "-100 s:/proc/=H/"+name+" 1")})
	}
	return append(all,
		row{name: "a host's process in /proc", act: "stat /proc/=H/status", in: "ENOENT"},
		row{name: "another's command line in /proc", act: "processes " + asleep, in: "-"},
		row{name: "ptrace init", act: "ptrace 1", in: "EPERM", control: "ptrace =H", weak: "EPERM: yama lets no process trace another; PTRACE_TRACEME and the filter's tests stand for it"},
		row{name: "be traced", act: call(unix.SYS_PTRACE, "0 0 0 0"), in: "EPERM"},
		row{name: "read init's memory", act: call(unix.SYS_PROCESS_VM_READV, "1 0 0 0 0 0"), in: "EPERM", control: call(unix.SYS_PROCESS_VM_READV, "=H 0 0 0 0 0")},
		row{name: "write init's memory", act: call(unix.SYS_PROCESS_VM_WRITEV, "1 0 0 0 0 0"), in: "EPERM", control: call(unix.SYS_PROCESS_VM_WRITEV, "=H 0 0 0 0 0")},
		row{name: "advise init's memory", act: call(unix.SYS_PROCESS_MADVISE, "-1 0 0 0 0"), in: "EPERM", out: "EBADF EINVAL"},
		row{name: "compare with init", act: call(unix.SYS_KCMP, "1 1 0 0 0"), in: "EPERM", control: call(unix.SYS_KCMP, "=H =H 0 0 0"), weak: "ENOSYS: built without kcmp; the filter's tests stand for it"},
		row{name: "a descriptor of init", act: call(unix.SYS_PIDFD_GETFD, "-1 0 0"), in: "EPERM", out: "EBADF"},
		row{name: "pidfd of a host's process", act: call(unix.SYS_PIDFD_OPEN, "=H 0"), in: "ESRCH"},
		row{name: "environment of the launcher", act: "read /proc/self/environ", never: "mellon"},
		row{name: "become root", act: call(unix.SYS_SETRESUID, "0 0 0"), in: "EPERM EINVAL", right: true},
		row{name: "become root's group", act: call(unix.SYS_SETRESGID, "0 0 0"), in: "EPERM EINVAL", right: true},
		row{name: "drop groups", act: call(unix.SYS_SETGROUPS, "0 0"), in: "EPERM", control: "new 0x10000000 clone"},
		row{name: "take a capability", act: call(unix.SYS_CAPSET, "x:2205082000000000 x:010000000100000000000000000000000000000000000000"), in: "EPERM", right: true},
		row{name: "another personality", act: call(unix.SYS_PERSONALITY, "0x40000"), in: "EPERM"},
		row{name: "a filter with a listener", act: call(unix.SYS_SECCOMP, "1 8 0"), in: "EPERM", out: "EFAULT EACCES"},
		row{name: "a lower limit of core dumps", act: "core-limit", never: "soft 0"},
		row{name: "type into the terminal", act: call(unix.SYS_IOCTL, "0 0x5412 b:1"), in: "EPERM", out: "ENOTTY EIO EOPNOTSUPP EINVAL"},
		row{name: "type into the terminal, high bits", act: call(unix.SYS_IOCTL, "0 0x100005412 b:1"), in: "EPERM", out: "ENOTTY EIO EOPNOTSUPP EINVAL"},
		row{name: "paste into the terminal", act: call(unix.SYS_IOCTL, "0 0x541c b:1"), in: "EPERM", out: "ENOTTY EIO EOPNOTSUPP EINVAL"},
		row{name: "another line discipline", act: call(unix.SYS_IOCTL, "0 0x5423 b:4"), in: "EPERM", out: "ENOTTY EIO EOPNOTSUPP EINVAL"},
		row{name: "the terminal for itself", act: call(unix.SYS_IOCTL, "0 0x540c"), in: "EPERM", out: "ENOTTY EIO EOPNOTSUPP EINVAL"},
		row{name: "a terminal of the host", act: "stat =T", in: "ENOENT", not: "read"},
		row{name: "open a terminal of the host", act: call(unix.SYS_OPENAT, "-100 s:=T 0x102"), in: "ENOENT"},
	)
}

// replaced is the folder of the one thread that another process has.
func replaced(name string) string {
	if name == "task/1/environ" {
		return "task/=H/environ"
	}
	return name
}

// signals: to nobody outside, by no way.
func signals() []row {
	const none = "ESRCH"
	queued := "x:0000000000000000ffffffff" + strings.Repeat("00", 116) // siginfo_t with SI_QUEUE
	all := []row{
		{name: "kill init", act: "kill 1 9", in: "EPERM ESRCH", control: "kill =H 0", abi: 6,
			gap: "the kernel takes it and drops it: no signal from its own namespace ends process 1 (pid_namespaces(7))"},
		{name: "kill a process of the host", act: "kill =H 0", in: none},
		{name: "kill its group", act: "kill -=H 0", in: none, control: "kill =H 0"},
		{name: "the peer of standard input", act: "peer", in: "EINVAL EPERM ESRCH", weak: "ENOPROTOOPT: kernels before 6.5 give no descriptor of the peer"},
	}
	for _, c := range []struct {
		name   string
		number int
		words  string
		out    string
	}{
		{"tkill", unix.SYS_TKILL, "=H 0", ""}, {"tgkill", unix.SYS_TGKILL, "=H =H 0", ""},
		{"rt_sigqueueinfo", unix.SYS_RT_SIGQUEUEINFO, "=H 0 " + queued, ""}, {"rt_tgsigqueueinfo", unix.SYS_RT_TGSIGQUEUEINFO, "=H =H 0 " + queued, ""},
		{"F_SETOWN", unix.SYS_FCNTL, "0 8 =H", ""}, {"F_SETOWN_EX", unix.SYS_FCNTL, "0 15 x:01000000=X", ""},
		{"FIOSETOWN", unix.SYS_IOCTL, "0 0x8901 x:=X", ""}, {"SIOCSPGRP", unix.SYS_IOCTL, "0 0x8902 x:=X", ""},
		{"setpriority", unix.SYS_SETPRIORITY, "0 =H 19", ""}, {"ioprio_set", unix.SYS_IOPRIO_SET, "1 =H 0x6000", ""},
		{"sched_setaffinity", unix.SYS_SCHED_SETAFFINITY, "=H 8 x:0100000000000000", ""}, {"sched_setscheduler", unix.SYS_SCHED_SETSCHEDULER, "=H 3 b:4", ""},
		{"prlimit64", unix.SYS_PRLIMIT64, "=H 7 0 b:16", ""}, {"get_robust_list", unix.SYS_GET_ROBUST_LIST, "=H b:8 b:8", ""},
	} {
		all = append(all, row{name: c.name + " on a process of the host", act: call(c.number, c.words), in: none, out: c.out})
	}
	return all
}
