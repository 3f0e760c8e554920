package signals

import (
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// Open catches the signals from now on and returns the end of the pipe they can be read from, which does not block. A
// signal that was ignored when the process started stays ignored, as nohup(1) expects. A second call adds signals.
func Open(list ...unix.Signal) (fd int, err error) {
	if readEnd.Load() == 0 {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
			return -1, os.NewSyscallError("pipe2", err)
		}
		writeEnd = int32(p[1])
		readEnd.Store(int32(p[0]))
	}
	for _, s := range list {
		if err := catch(s); err != nil {
			return -1, os.NewSyscallError("rt_sigaction "+unix.SignalName(s), err)
		}
	}
	return int(readEnd.Load()), nil
}

var (
	writeEnd int32 // the handler's: set before the first signal is caught, and never again
	readEnd  atomic.Int32
)

// Next is a signal that came, or 0.
func Next(fd int) unix.Signal {
	var b [1]byte
	if n, err := unix.Read(fd, b[:]); n == 1 && err == nil {
		return unix.Signal(b[0])
	}
	return 0
}
