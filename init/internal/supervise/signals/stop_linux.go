package signals

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// StopGroup stops this process's group as Ctrl-Z does, by the default action of SIGTSTP, and returns when this process
// continues. In an orphaned process group the kernel ignores the signal, and StopGroup returns at once; setpgid(2).
func StopGroup() error {
	err := Without(func() error { return unix.Kill(0, unix.SIGTSTP) }, unix.SIGTSTP) // the others of the group
	if err != nil {
		return err
	}
	return during(0, func() error { return stop(unix.SIGTSTP) }, []unix.Signal{unix.SIGTSTP})
}

// StopSelf stops this process by SIGSTOP, and returns when the process continues.
func StopSelf() error { return stop(unix.SIGSTOP) }

// stop sends a signal to the calling thread: its tgkill(2) does not return before the signal has acted. The signal of a
// kill(2) may go to another thread, and the caller would go on until that thread runs; signal(7).
func stop(s unix.Signal) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set, old unix.Sigset_t
	set.Val[(s-1)/64] |= 1 << (uint(s-1) % 64)
	if err := unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, &old); err != nil {
		return err
	}
	defer unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil)
	return unix.Tgkill(unix.Getpid(), unix.Gettid(), s)
}
