package seccomp

import (
	"os"

	"golang.org/x/sys/unix"
)

// A probe is one call, made before and after the filter is loaded.
type probe struct {
	name   string
	number uintptr
	args   func(p *place) [6]uintptr
	after  unix.Errno // 0: allowed, and then it has to do before what it does after
	fd     bool       // the result is a descriptor to close
}

// A place is where probes may act.
type place struct {
	dir, file, fresh uintptr
	pid              uintptr
}

func newPlace(dir string) *place {
	file := dir + "/file"
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		panic(err)
	}
	return &place{dir: path(dir), file: path(file), fresh: path(dir + "/fresh"), pid: uintptr(os.Getpid())}
}

const (
	high  = 1 << 32
	noFD  = ^uintptr(0)
	cwd   = ^uintptr(99) // AT_FDCWD
	query = 0xffffffff
)

func fixed(args ...uintptr) func(*place) [6]uintptr {
	return func(*place) (a [6]uintptr) { copy(a[:], args); return a }
}

// probes are for the default filter. Each refused one has, without the filter, another result: that is its control.
var probes = []probe{
	{"socket unix", unix.SYS_SOCKET, fixed(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC), 0, true},
	{"socket inet", unix.SYS_SOCKET, fixed(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_TCP), 0, true},
	{"socket inet, high bits", unix.SYS_SOCKET, fixed(high|unix.AF_INET, high|unix.SOCK_DGRAM), 0, true},
	{"socket netlink route", unix.SYS_SOCKET, fixed(unix.AF_NETLINK, unix.SOCK_RAW), 0, true},
	{"socket netlink sock_diag", unix.SYS_SOCKET, fixed(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG), unix.EAFNOSUPPORT, true},
	{"socket netlink, high bits", unix.SYS_SOCKET, fixed(unix.AF_NETLINK, unix.SOCK_RAW, high|unix.NETLINK_GENERIC), unix.EAFNOSUPPORT, true},
	{"socket inet, protocol 254", unix.SYS_SOCKET, fixed(unix.AF_INET, unix.SOCK_DGRAM, 254), unix.EAFNOSUPPORT, true},
	{"socket packet type", unix.SYS_SOCKET, fixed(unix.AF_INET, 9), unix.EAFNOSUPPORT, true},
	{"socketpair dgram", unix.SYS_SOCKETPAIR, func(*place) [6]uintptr { return [6]uintptr{unix.AF_UNIX, unix.SOCK_DGRAM, 0, block(8)} }, 0, false},
	{"clone newuser", unix.SYS_CLONE, fixed(unix.CLONE_NEWUSER | unix.CLONE_FS), unix.EPERM, false}, // EINVAL without
	{"clone newuser, high bits", unix.SYS_CLONE, fixed(high | unix.CLONE_NEWUSER | unix.CLONE_FS), unix.EPERM, false},
	{"clone newns", unix.SYS_CLONE, fixed(unix.CLONE_NEWNS | unix.CLONE_FS), unix.EPERM, false},
	{"clone3", unix.SYS_CLONE3, fixed(0, 0), unix.ENOSYS, false}, // EINVAL
	{"unshare nothing", unix.SYS_UNSHARE, fixed(0), unix.EPERM, false},
	{"setns", unix.SYS_SETNS, fixed(noFD), unix.EPERM, false}, // EBADF
	{"ioctl TCGETS", unix.SYS_IOCTL, fixed(noFD, unix.TCGETS), 0, false},
	{"ioctl TIOCSTI", unix.SYS_IOCTL, fixed(noFD, unix.TIOCSTI), unix.EPERM, false},
	{"ioctl TIOCSTI, high bits", unix.SYS_IOCTL, fixed(noFD, high|unix.TIOCSTI), unix.EPERM, false},
	{"ioctl TIOCLINUX", unix.SYS_IOCTL, fixed(noFD, 0x541c), unix.EPERM, false},
	{"ioctl TIOCEXCL", unix.SYS_IOCTL, fixed(noFD, unix.TIOCEXCL), unix.EPERM, false},
	{"ioctl TIOCNXCL, high bits", unix.SYS_IOCTL, fixed(noFD, high|unix.TIOCNXCL), unix.EPERM, false},
	{"chmod 0755", unix.SYS_FCHMODAT, func(p *place) [6]uintptr { return [6]uintptr{cwd, p.file, 0o755} }, 0, false},
	{"chmod 04755", unix.SYS_FCHMODAT, func(p *place) [6]uintptr { return [6]uintptr{cwd, p.file, 0o4755} }, unix.EPERM, false},
	{"chmod 02755, high bits", unix.SYS_FCHMODAT, func(p *place) [6]uintptr { return [6]uintptr{cwd, p.file, high | 0o2755} }, unix.EPERM, false},
	{"creat 04755", unix.SYS_OPENAT, func(p *place) [6]uintptr { return [6]uintptr{cwd, p.fresh, unix.O_CREAT, 0o4755} }, unix.EPERM, true},
	{"open with a mode that does not count", unix.SYS_OPENAT, func(p *place) [6]uintptr { return [6]uintptr{cwd, p.file, 0, 0o4755} }, 0, true},
	{"O_TMPFILE 04755", unix.SYS_OPENAT, func(p *place) [6]uintptr {
		return [6]uintptr{cwd, p.dir, unix.O_TMPFILE | unix.O_RDWR, 0o4755}
	}, unix.EPERM, true},
	{"openat2", unix.SYS_OPENAT2, func(p *place) [6]uintptr { return [6]uintptr{cwd, p.file, block(24), 24} }, unix.ENOSYS, true},
	{"io_uring_setup", unix.SYS_IO_URING_SETUP, fixed(0, 0), unix.ENOSYS, false},
	{"ptrace", unix.SYS_PTRACE, fixed(2, noFD>>33), unix.EPERM, false}, // ESRCH
	{"process_vm_readv", unix.SYS_PROCESS_VM_READV, func(p *place) [6]uintptr { return [6]uintptr{p.pid} }, unix.EPERM, false},
	{"kcmp", unix.SYS_KCMP, func(p *place) [6]uintptr { return [6]uintptr{p.pid, p.pid, 1} }, unix.EPERM, false},
	{"pidfd_getfd", unix.SYS_PIDFD_GETFD, fixed(noFD), unix.EPERM, false},
	{"keyctl", unix.SYS_KEYCTL, fixed(11, 0), unix.EPERM, false},
	{"add_key", unix.SYS_ADD_KEY, fixed(0), unix.EPERM, false},                                    // EFAULT
	{"mount", unix.SYS_MOUNT, fixed(0, 0, 1), unix.EPERM, false},                                  // EFAULT
	{"umount2", unix.SYS_UMOUNT2, fixed(0, 0xffff), unix.EPERM, false},                            // EINVAL
	{"open_tree", unix.SYS_OPEN_TREE, fixed(noFD, 0, 2), unix.EPERM, false},                       // EINVAL
	{"name_to_handle_at", unix.SYS_NAME_TO_HANDLE_AT, fixed(noFD, 0, 0, 0, 1), unix.EPERM, false}, // EINVAL
	{"perf_event_open", unix.SYS_PERF_EVENT_OPEN, fixed(0), unix.EPERM, false},                    // EFAULT
	{"userfaultfd", unix.SYS_USERFAULTFD, fixed(0xffff), unix.EPERM, false},                       // EINVAL
	{"memfd_secret", unix.SYS_MEMFD_SECRET, fixed(0xffff), unix.EPERM, false},                     // EINVAL
	{"process_madvise", unix.SYS_PROCESS_MADVISE, fixed(noFD), unix.EPERM, false},
	{"personality query", unix.SYS_PERSONALITY, fixed(query), 0, false},
	{"personality without randomization", unix.SYS_PERSONALITY, fixed(0x40000), unix.EPERM, false},
	{"prctl core scheduling", unix.SYS_PRCTL, fixed(62, 99), unix.EPERM, false},
	{"seccomp listener", unix.SYS_SECCOMP, fixed(unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER), unix.EPERM, false},
	{"seccomp sizes", unix.SYS_SECCOMP, func(*place) [6]uintptr { return [6]uintptr{unix.SECCOMP_GET_NOTIF_SIZES, 0, block(8)} }, 0, false},
	{"prlimit64 of the parent", unix.SYS_PRLIMIT64, fixed(uintptr(os.Getppid()), 0, 0, 0), 0, false},
	{"shmget", unix.SYS_SHMGET, fixed(0, 0, 0), 0, false}, // EINVAL, both times
}

// stricter are for reduced without network, and seccomp.deny of uname.
var stricter = []probe{
	{"socket unix", unix.SYS_SOCKET, fixed(unix.AF_UNIX, unix.SOCK_STREAM), unix.EAFNOSUPPORT, true},
	{"socket inet", unix.SYS_SOCKET, fixed(unix.AF_INET, unix.SOCK_STREAM), unix.EAFNOSUPPORT, true},
	{"socket inet6", unix.SYS_SOCKET, fixed(unix.AF_INET6, unix.SOCK_DGRAM), unix.EAFNOSUPPORT, true},
	{"socket netlink", unix.SYS_SOCKET, fixed(unix.AF_NETLINK, unix.SOCK_RAW), unix.EAFNOSUPPORT, true},
	{"socketpair stream", unix.SYS_SOCKETPAIR, func(*place) [6]uintptr { return [6]uintptr{unix.AF_UNIX, unix.SOCK_STREAM, 0, block(8)} }, 0, false},
	{"socketpair dgram", unix.SYS_SOCKETPAIR, func(*place) [6]uintptr { return [6]uintptr{unix.AF_UNIX, unix.SOCK_DGRAM, 0, block(8)} }, unix.EAFNOSUPPORT, false},
	{"shmget", unix.SYS_SHMGET, fixed(0, 0, 0), unix.EPERM, false}, // EINVAL
	{"mq_open", unix.SYS_MQ_OPEN, fixed(0, 0), unix.EPERM, false},  // EFAULT
	{"prlimit64 own", unix.SYS_PRLIMIT64, fixed(0, unix.RLIMIT_NOFILE, 0, 0), 0, false},
	{"prlimit64 of the parent", unix.SYS_PRLIMIT64, func(*place) [6]uintptr {
		return [6]uintptr{uintptr(os.Getppid()), unix.RLIMIT_NOFILE, 0, 0}
	}, unix.EPERM, false},
	{"uname, denied", unix.SYS_UNAME, func(*place) [6]uintptr { return [6]uintptr{block(512)} }, unix.EPERM, false},
}
