package sys

import "golang.org/x/sys/unix"

// sigsetSize is the size of a signal set that rt_sigprocmask, signalfd4 and ppoll demand.
const sigsetSize = 8

// Clone is clone(2) as fork(2) makes it: the child goes on where its parent does, with the parent's memory or a copy.
func Clone(flags int) call {
	zero := num(0)
	return sys(unix.SYS_CLONE, num(flags), zero, zero, zero, zero)
}

func Clone3(args addr, size int) call { return sys(unix.SYS_CLONE3, ref(args), num(size)) }
func Unshare(flags int) call          { return sys(unix.SYS_UNSHARE, num(flags)) }
func Setns(fd arg, kind int) call     { return sys(unix.SYS_SETNS, fd, num(kind)) }
func Execve(path string, argv, envp addr) call {
	return sys(unix.SYS_EXECVE, str(path), ref(argv), ref(envp))
}

// ExecveNull is an execve of a NULL path: EFAULT, if nothing refuses execve itself.
func ExecveNull() call { return sys(unix.SYS_EXECVE, num(0), num(0), num(0)) }

func Execveat(dir arg, path string, argv, envp addr, flags int) call {
	return sys(unix.SYS_EXECVEAT, dir, str(path), ref(argv), ref(envp), num(flags))
}

func ExitGroup(status int) call { return ExitWith(num(status)) }
func ExitWith(status arg) call  { return sys(unix.SYS_EXIT_GROUP, status) }

func Wait4(pid int, status addr, options int) call {
	return sys(unix.SYS_WAIT4, num(pid), ref(status), num(options), num(0))
}

// Wait is wait4(2) for one process, without its status.
func Wait(pid arg, options int) call {
	return sys(unix.SYS_WAIT4, pid, num(0), num(options), num(0))
}

// WaitidUsage is waitid(2) for one process, which stores its struct rusage too.
func WaitidUsage(pid arg, info addr, options int, usage addr) call {
	return sys(unix.SYS_WAITID, num(unix.P_PID), pid, ref(info), num(options), ref(usage))
}

// WaitPID is waitid(2) for one process: P_PID.
func WaitPID(pid arg, info addr, options int) call {
	return sys(unix.SYS_WAITID, num(unix.P_PID), pid, ref(info), num(options), num(0))
}

func Kill(pid, sig arg) call { return sys(unix.SYS_KILL, pid, sig) }

// Ptrace is a request of ptrace(2) with addr 0.
func Ptrace(request int, pid, data arg) call {
	return sys(unix.SYS_PTRACE, num(request), pid, num(0), data)
}

// Prctl takes one argument; the kernel demands that the others are 0.
func Prctl(op int, arg arg) call {
	zero := num(0)
	return sys(unix.SYS_PRCTL, num(op), arg, zero, zero, zero)
}

func Seccomp(op, flags int, args arg) call { return sys(unix.SYS_SECCOMP, num(op), num(flags), args) }
func Getpid() call                         { return sys(unix.SYS_GETPID) }
func Getppid() call                        { return sys(unix.SYS_GETPPID) }
func Getsid(pid int) call                  { return sys(unix.SYS_GETSID, num(pid)) }
func Setsid() call                         { return sys(unix.SYS_SETSID) }
func Getpgid(pid int) call                 { return sys(unix.SYS_GETPGID, num(pid)) }
func Setpgid(pid, group int) call          { return sys(unix.SYS_SETPGID, num(pid), num(group)) }

// Sigsetmask is rt_sigprocmask(2) with SIG_SETMASK.
func Sigsetmask(set uint64) call {
	return sys(unix.SYS_RT_SIGPROCMASK, num(unix.SIG_SETMASK), words(set), num(0), num(sigsetSize))
}

// SigsetmaskOld is Sigsetmask that stores the set before; SigsetmaskFrom takes a stored set.
func SigsetmaskOld(set uint64, old addr) call {
	return sys(unix.SYS_RT_SIGPROCMASK, num(unix.SIG_SETMASK), words(set), ref(old), num(sigsetSize))
}

func SigsetmaskFrom(set addr) call {
	return sys(unix.SYS_RT_SIGPROCMASK, num(unix.SIG_SETMASK), ref(set), num(0), num(sigsetSize))
}

func Sigaction(sig unix.Signal, action addr) call {
	return sys(unix.SYS_RT_SIGACTION, num(int(sig)), ref(action), num(0), num(sigsetSize))
}

// Signalfd is signalfd4(2) that makes a new descriptor.
func Signalfd(set uint64, flags int) call {
	return sys(unix.SYS_SIGNALFD4, num(-1), words(set), num(sigsetSize), num(flags))
}

// Ppoll waits without end if timeout is NULL, and not at all if it is a zero struct timespec.
func Ppoll(fds arg, n int, timeout arg) call {
	return sys(unix.SYS_PPOLL, fds, num(n), timeout, num(0), num(sigsetSize))
}

func TimerfdCreate(clock, flags int) call {
	return sys(unix.SYS_TIMERFD_CREATE, num(clock), num(flags))
}

func TimerfdSettime(fd arg, flags int, value arg) call {
	return sys(unix.SYS_TIMERFD_SETTIME, fd, num(flags), value, num(0))
}
