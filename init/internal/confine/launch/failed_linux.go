package launch

import (
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// failed returns the refusal of the failed call, or the signal that killed the process.
func (s *Sandbox) failed(err error) error {
	results := s.Program.Copy()
	if f := s.Program.Failed(results); f != nil {
		return f
	}
	if sig := s.reapKilled(); sig != 0 {
		err = killedBy(sig)
	}
	return &order.Refusal{Layer: order.Layer(s.Program.Reached(results)), Op: "set up", Err: err}
}

// reapKilled reaps init, if init has ended, and returns the signal that killed init, or the server's process by init's
// record; 0 if neither was killed.
func (s *Sandbox) reapKilled() unix.Signal {
	if s.Init.FD < 0 || !poll(s.Init.FD, ExitTimeout) {
		return 0
	}
	st, _, err := s.kept.starter.reap(s)
	if err != nil {
		return 0
	}
	s.Init.PID = 0 // reaped
	if st.Signaled() {
		return st.Signal()
	}
	if status, reaped := s.Program.Ended(); reaped && unix.WaitStatus(status).Signaled() {
		return unix.WaitStatus(status).Signal()
	}
	return 0
}
