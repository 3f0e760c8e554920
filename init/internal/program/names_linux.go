package program

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// nothing is the call that a disarmed Op makes: it returns 0.
const nothing = unix.SYS_SCHED_YIELD

// Name is the name of a system call that programs make.
func Name(nr uint32) string {
	switch nr {
	case unix.SYS_BIND:
		return "bind"
	case unix.SYS_CAPGET:
		return "capget"
	case unix.SYS_CAPSET:
		return "capset"
	case unix.SYS_CHDIR:
		return "chdir"
	case unix.SYS_CLONE:
		return "clone"
	case unix.SYS_CLONE3:
		return "clone3"
	case unix.SYS_CLOSE:
		return "close"
	case unix.SYS_CLOSE_RANGE:
		return "close_range"
	case unix.SYS_CONNECT:
		return "connect"
	case unix.SYS_DUP:
		return "dup"
	case unix.SYS_DUP3:
		return "dup3"
	case unix.SYS_EXECVE:
		return "execve"
	case unix.SYS_EXECVEAT:
		return "execveat"
	case unix.SYS_EXIT_GROUP:
		return "exit_group"
	case unix.SYS_FACCESSAT:
		return "faccessat"
	case unix.SYS_FACCESSAT2:
		return "faccessat2"
	case unix.SYS_FCHMOD:
		return "fchmod"
	case unix.SYS_FCNTL:
		return "fcntl"
	case unix.SYS_FSCONFIG:
		return "fsconfig"
	case unix.SYS_FSMOUNT:
		return "fsmount"
	case unix.SYS_FSOPEN:
		return "fsopen"
	case unix.SYS_GETDENTS64:
		return "getdents64"
	case unix.SYS_GETGROUPS:
		return "getgroups"
	case unix.SYS_GETPID:
		return "getpid"
	case unix.SYS_GETPPID:
		return "getppid"
	case unix.SYS_GETRESGID:
		return "getresgid"
	case unix.SYS_GETRESUID:
		return "getresuid"
	case unix.SYS_IOCTL:
		return "ioctl"
	case unix.SYS_KEYCTL:
		return "keyctl"
	case unix.SYS_KILL:
		return "kill"
	case unix.SYS_LANDLOCK_ADD_RULE:
		return "landlock_add_rule"
	case unix.SYS_LANDLOCK_CREATE_RULESET:
		return "landlock_create_ruleset"
	case unix.SYS_LANDLOCK_RESTRICT_SELF:
		return "landlock_restrict_self"
	case unix.SYS_MKDIRAT:
		return "mkdirat"
	case unix.SYS_MKNODAT:
		return "mknodat"
	case unix.SYS_GETPEERNAME:
		return "getpeername"
	case unix.SYS_GETSOCKOPT:
		return "getsockopt"
	case unix.SYS_GETSID:
		return "getsid"
	case unix.SYS_GETCWD:
		return "getcwd"
	case unix.SYS_PREAD64:
		return "pread64"
	case unix.SYS_MOUNT:
		return "mount"
	case unix.SYS_MOUNT_SETATTR:
		return "mount_setattr"
	case unix.SYS_MOVE_MOUNT:
		return "move_mount"
	case unix.SYS_OPENAT:
		return "openat"
	case unix.SYS_OPENAT2:
		return "openat2"
	case unix.SYS_OPEN_TREE:
		return "open_tree"
	case unix.SYS_LSEEK:
		return "lseek"
	case unix.SYS_PIVOT_ROOT:
		return "pivot_root"
	case unix.SYS_PPOLL:
		return "ppoll"
	case unix.SYS_PRCTL:
		return "prctl"
	case unix.SYS_PRLIMIT64:
		return "prlimit64"
	case unix.SYS_PTRACE:
		return "ptrace"
	case unix.SYS_READ:
		return "read"
	case unix.SYS_READLINKAT:
		return "readlinkat"
	case unix.SYS_RECVFROM:
		return "recvfrom"
	case unix.SYS_RT_SIGPROCMASK:
		return "rt_sigprocmask"
	case unix.SYS_SCHED_YIELD:
		return "sched_yield"
	case unix.SYS_SECCOMP:
		return "seccomp"
	case unix.SYS_SENDMSG:
		return "sendmsg"
	case unix.SYS_SENDTO:
		return "sendto"
	case unix.SYS_SETGROUPS:
		return "setgroups"
	case unix.SYS_SETNS:
		return "setns"
	case unix.SYS_SETRESGID:
		return "setresgid"
	case unix.SYS_SETRESUID:
		return "setresuid"
	case unix.SYS_SETSID:
		return "setsid"
	case unix.SYS_SIGNALFD4:
		return "signalfd4"
	case unix.SYS_TIMERFD_CREATE:
		return "timerfd_create"
	case unix.SYS_TIMERFD_SETTIME:
		return "timerfd_settime"
	case unix.SYS_SOCKET:
		return "socket"
	case unix.SYS_STATX:
		return "statx"
	case unix.SYS_STATFS:
		return "statfs"
	case unix.SYS_SYMLINKAT:
		return "symlinkat"
	case unix.SYS_TRUNCATE:
		return "truncate"
	case unix.SYS_UMASK:
		return "umask"
	case unix.SYS_UMOUNT2:
		return "umount2"
	case unix.SYS_UNSHARE:
		return "unshare"
	case unix.SYS_WAIT4:
		return "wait4"
	case unix.SYS_UNLINKAT:
		return "unlinkat"
	case unix.SYS_SETPGID:
		return "setpgid"
	case unix.SYS_GETPGID:
		return "getpgid"
	case unix.SYS_WAITID:
		return "waitid"
	case unix.SYS_WRITE:
		return "write"
	}
	return "syscall " + strconv.Itoa(int(nr))
}

func errnoName(v uint64) string {
	if n := unix.ErrnoName(syscall.Errno(v)); n != "" {
		return n
	}
	return "-" + strconv.FormatUint(v, 10)
}
