package program

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	nothing   = unix.SYS_SCHED_YIELD // the call of a disarmed Op: returns 0
	mountCall = unix.SYS_MOUNT
)

func errnoName(v uint64) string {
	if n := unix.ErrnoName(syscall.Errno(v)); n != "" {
		return n
	}
	return "-" + strconv.FormatUint(v, 10)
}
