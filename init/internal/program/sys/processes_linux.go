package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// sigsetSize is the size of a signal set that rt_sigprocmask, signalfd4 and ppoll demand.
const sigsetSize = 8

// Clone is clone(2) as fork(2) makes it: the child goes on where its parent does, with the parent's memory or a copy.
func Clone(flags int) program.Syscall {
	zero := num(0)
	return program.Sys(unix.SYS_CLONE, num(flags), zero, zero, zero, zero)
}

func Clone3(args program.Addr, size int) program.Syscall {
	return program.Sys(unix.SYS_CLONE3, program.Ref(args), num(size))
}

func Unshare(flags int) program.Syscall { return program.Sys(unix.SYS_UNSHARE, num(flags)) }

func Setns(fd program.Arg, kind int) program.Syscall {
	return program.Sys(unix.SYS_SETNS, fd, num(kind))
}

func Execve(path string, argv, envp program.Addr) program.Syscall {
	return program.Sys(unix.SYS_EXECVE, program.Str(path), program.Ref(argv), program.Ref(envp))
}

// ExecveNull is an execve of a NULL path: EFAULT, if nothing refuses execve itself.
func ExecveNull() program.Syscall { return program.Sys(unix.SYS_EXECVE, num(0), num(0), num(0)) }

func Execveat(dir program.Arg, path string, argv, envp program.Addr, flags int) program.Syscall {
	return program.Sys(unix.SYS_EXECVEAT, dir, program.Str(path), program.Ref(argv), program.Ref(envp), num(flags))
}

func ExitGroup(status int) program.Syscall { return program.Sys(unix.SYS_EXIT_GROUP, num(status)) }

func Wait4(pid int, status program.Addr, options int) program.Syscall {
	return program.Sys(unix.SYS_WAIT4, num(pid), program.Ref(status), num(options), num(0))
}

// WaitPID is waitid(2) for one process: P_PID.
func WaitPID(pid program.Arg, info program.Addr, options int) program.Syscall {
	return program.Sys(unix.SYS_WAITID, num(unix.P_PID), pid, program.Ref(info), num(options), num(0))
}

func Kill(pid, sig program.Arg) program.Syscall { return program.Sys(unix.SYS_KILL, pid, sig) }

// Ptrace is a request of ptrace(2) whose addr is 0.
func Ptrace(request int, pid, data program.Arg) program.Syscall {
	return program.Sys(unix.SYS_PTRACE, num(request), pid, num(0), data)
}

// Prctl takes one argument; the kernel demands that the others are 0.
func Prctl(op int, arg program.Arg) program.Syscall {
	zero := num(0)
	return program.Sys(unix.SYS_PRCTL, num(op), arg, zero, zero, zero)
}

func Seccomp(op, flags int, args program.Arg) program.Syscall {
	return program.Sys(unix.SYS_SECCOMP, num(op), num(flags), args)
}

func Getpid() program.Syscall { return program.Sys(unix.SYS_GETPID) }

func Getppid() program.Syscall { return program.Sys(unix.SYS_GETPPID) }

func Getsid(pid int) program.Syscall { return program.Sys(unix.SYS_GETSID, num(pid)) }

func Setsid() program.Syscall { return program.Sys(unix.SYS_SETSID) }

func Getpgid(pid int) program.Syscall { return program.Sys(unix.SYS_GETPGID, num(pid)) }

func Setpgid(pid, group int) program.Syscall {
	return program.Sys(unix.SYS_SETPGID, num(pid), num(group))
}

// Sigsetmask is rt_sigprocmask(2) with SIG_SETMASK.
func Sigsetmask(set uint64) program.Syscall {
	return program.Sys(unix.SYS_RT_SIGPROCMASK, num(unix.SIG_SETMASK), program.Words(set), num(0), num(sigsetSize))
}

// Signalfd is signalfd4(2) that makes a new descriptor.
func Signalfd(set uint64, flags int) program.Syscall {
	return program.Sys(unix.SYS_SIGNALFD4, num(-1), program.Words(set), num(sigsetSize), num(flags))
}

// Ppoll waits without end if timeout is NULL, program.Int(0), and not at all if it is a zero struct timespec.
func Ppoll(fds program.Arg, n int, timeout program.Arg) program.Syscall {
	return program.Sys(unix.SYS_PPOLL, fds, num(n), timeout, num(0), num(sigsetSize))
}

func TimerfdCreate(clock, flags int) program.Syscall {
	return program.Sys(unix.SYS_TIMERFD_CREATE, num(clock), num(flags))
}

func TimerfdSettime(fd program.Arg, flags int, value program.Arg) program.Syscall {
	return program.Sys(unix.SYS_TIMERFD_SETTIME, fd, num(flags), value, num(0))
}
