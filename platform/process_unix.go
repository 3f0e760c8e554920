//go:build darwin || linux

package platform

// This file: the processor time of this process, and the names of signals.

import (
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTime is the processor time that this process has used; CLOCK_PROCESS_CPUTIME_ID of clock_getres(2).
func ProcessTime() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}

// SignalName is a signal's name, "SIGTERM", or of a real-time signal of Linux "SIGRTMIN+3", as kill(1) counts
// them: the first two are the C library's own; signal(7).
func SignalName(s syscall.Signal) string {
	const first, last = 34, 64
	switch name := unix.SignalName(s); {
	case name != "" || s < first-2 || s > last:
		return name
	case s < first:
		return "SIGRTMIN-" + strconv.Itoa(int(first-s))
	case s == first:
		return "SIGRTMIN"
	default:
		return "SIGRTMIN+" + strconv.Itoa(int(s-first))
	}
}
