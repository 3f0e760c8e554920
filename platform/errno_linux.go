package platform

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrnoName is the symbol of an error number, such as "EACCES".
func ErrnoName(e syscall.Errno) string {
	if n := unix.ErrnoName(e); n != "" {
		return n
	}
	return "errno " + strconv.Itoa(int(e))
}
