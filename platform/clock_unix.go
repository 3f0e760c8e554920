//go:build darwin || linux

package platform

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessTime is the processor time that this process has used; CLOCK_PROCESS_CPUTIME_ID of clock_getres(2).
func ProcessTime() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}
