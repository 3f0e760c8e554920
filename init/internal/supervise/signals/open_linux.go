package signals

import (
	"os"

	"golang.org/x/sys/unix"
)

// Open catches signals from now on, and returns a pipe to read them from, which does not block. Each call makes
// a pipe of its own: a flood of one signal takes no room from signals of another pipe. A signal that was
// ignored when the process started stays ignored, as nohup(1) expects. A signal that the calling thread was
// started with blocked is unblocked.
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

// During opens a pipe as Open does, and calls a function with it. Afterwards the signals have their earlier actions.
func During(do func(fd int), list ...unix.Signal) error {
	old := make([]action, len(list))
	for i, s := range list {
		if err := sigaction(s, nil, &old[i]); err != nil {
			return err
		}
	}
	fd, err := Open(list...)
	do(fd)
	for i, s := range list {
		sigaction(s, &old[i], nil)
	}
	unix.Close(fd)
	unix.Close(int(writeEnds[list[0]]))
	return err
}

// Catch catches a signal of an open pipe, even if the signal was ignored when the process started, or by [Ignore].
func Catch(s unix.Signal) error { return catch(s, true) }

// unblock unblocks signals in the calling thread. One thread is enough for the process; signal(7).
func unblock(list []unix.Signal) error {
	var set unix.Sigset_t
	for _, s := range list {
		set.Val[(s-1)/64] |= 1 << (uint(s-1) % 64)
	}
	return os.NewSyscallError("rt_sigprocmask", unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, nil))
}

// writeEnds are the pipes that the handler writes to, by the signal's number. Each is set before its signal is caught.
var writeEnds [65]int32

// Next reads a signal from a pipe; 0 if there is none.
func Next(fd int) unix.Signal {
	var b [1]byte
	if n, err := unix.Read(fd, b[:]); n == 1 && err == nil {
		return unix.Signal(b[0])
	}
	return 0
}
