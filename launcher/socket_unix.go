//go:build darwin || linux

package launcher

import (
	"os"

	"golang.org/x/sys/unix"
)

// A socket is the host's end of a pair. To close it would not be enough where a child that the host forked keeps it:
// shutdown(2) is of both ends, whoever holds them.
type socket struct{ *os.File }

// HangUp tells the shim that its host is gone.
func (s socket) HangUp() { s.shutdown(unix.SHUT_WR) }

func (s socket) shutdown(how int) {
	conn, err := s.SyscallConn()
	if err == nil {
		conn.Control(func(fd uintptr) { unix.Shutdown(int(fd), how) })
	}
}
