package signals

import (
	"os"

	"golang.org/x/sys/unix"
)

// Open catches the signals from now on and returns the end of a pipe they can be read from, which does not
// block. Each call makes a pipe of its own: a flood of one signal takes no room from those of another pipe. A
// signal that was ignored when the process started stays ignored, as nohup(1) expects. One that the calling
// thread was started with blocked is not.
func Open(list ...unix.Signal) (fd int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return -1, os.NewSyscallError("pipe2", err)
	}
	for _, s := range list {
		writeEnds[s] = int32(p[1])
		if err := catch(s, false); err != nil {
			return -1, os.NewSyscallError("rt_sigaction "+unix.SignalName(s), err)
		}
	}
	return p[0], unblock(list)
}

// Catch catches signals of an open pipe, whether they were ignored or not: again after [Ignore], or at last.
func Catch(list ...unix.Signal) error {
	for _, s := range list {
		if err := catch(s, true); err != nil {
			return os.NewSyscallError("rt_sigaction "+unix.SignalName(s), err)
		}
	}
	return nil
}

// unblock lets signals reach the calling thread, whatever the process was started with: one thread is enough;
// signal(7).
func unblock(list []unix.Signal) error {
	var set unix.Sigset_t
	for _, s := range list {
		set.Val[(s-1)/64] |= 1 << (uint(s-1) % 64)
	}
	return os.NewSyscallError("rt_sigprocmask", unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, nil))
}

// writeEnds are the handler's, by the signal's number: each is set before its signal is caught.
var writeEnds [65]int32

// Next is a signal that came, or 0.
func Next(fd int) unix.Signal {
	var b [1]byte
	if n, err := unix.Read(fd, b[:]); n == 1 && err == nil {
		return unix.Signal(b[0])
	}
	return 0
}
