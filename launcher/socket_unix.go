//go:build darwin || linux

package launcher

import (
	"os"

	"golang.org/x/sys/unix"
)

// A socket is the host's end of a pair. To close it would not be enough where a child that the host forked keeps it:
// shutdown(2) is of both ends, whichever processes hold them.
type socket struct{ *os.File }

// Begin has nothing to do: a shim begins by itself.
func (s socket) Begin(<-chan struct{}) {}

// Next reads the shim's records.
func (s socket) Next() []byte { return piece(s.File) }

// HangUp makes the shim see its host's end.
func (s socket) HangUp(shim *os.Process) {
	s.shutdown(unix.SHUT_WR)
	if shim != nil { // nil: of a Cmd that was forgotten
		shim.Signal(unix.SIGCONT)
	}
}

// Ask sends SIGTERM. SIGCONT wakes a stopped shim, which would not receive SIGTERM.
func (s socket) Ask(shim *os.Process) error {
	err := shim.Signal(unix.SIGTERM)
	shim.Signal(unix.SIGCONT)
	return err
}

func (s socket) shutdown(how int) {
	conn, err := s.SyscallConn()
	if err == nil {
		conn.Control(func(fd uintptr) { unix.Shutdown(int(fd), how) })
	}
}
