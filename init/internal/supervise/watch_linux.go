package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// forInit is how long init may take to kill and reap all that is left.
const forInit = 500 * time.Millisecond

// watch stays with the server until init has ended. There is one poll, without a time-out unless a deadline is set.
func (s *shim) watch() {
	letGoOfStdio()
	s.alsoRaw()
	s.terminal.enter()
	s.end.Begin(s, &s.policy)
	s.group.forks = s.group.RefusedForks()
	ended := false
	l := loop{sources: []source{
		{&s.initFD, unix.POLLIN, func(int16) { ended = true }},
		{&s.up, unix.POLLIN, func(int16) { s.leftBehind() }},
		{&s.asks, unix.POLLIN, func(int16) { s.passAsks() }},
		{&s.signals, unix.POLLIN, func(int16) { s.passSignals() }},
		{&s.Host, unix.POLLIN, func(int16) { s.hostGone(&s.Host) }},
		{&s.Parent, unix.POLLIN, func(int16) { s.hostGone(&s.Parent) }},
		{&s.stdin.fd, unix.POLLRDHUP, func(int16) { s.stdinClosed() }},
		{&s.lookout.table, unix.POLLPRI, s.unmounted},
		{&s.repair.runner, unix.POLLIN, func(int16) { s.laid() }},
		{&s.listener.calls, unix.POLLIN, s.denied},
		{&s.listener.pause, unix.POLLIN, func(int16) { s.listener.rested() }},
		{&s.group.forks, unix.POLLPRI, func(int16) { s.forksRefused() }},
	}, timers: []timer{
		{&s.end.StdinAt, s.stdinClosed},
		{&s.moved.at, s.moved.due}, {&s.resized.at, s.resized.due},
		{&s.repair.at, s.mend}, {&s.repair.until, s.overdue},
	}}
	l.sources = append(l.sources, s.carried()...)
	for !ended {
		if err := l.turn(s.end.Left(), func() bool { return ended }); err != nil {
			s.end.Because(order.CauseSupervisorLost)
			s.cut() // init ends, and the wait for it needs no poll
			return
		}
		if !ended {
			s.pastDeadlines()
		}
	}
}

// pastDeadlines does what is due for the server's end.
func (s *shim) pastDeadlines() {
	e := &s.end
	if e.Killing && ending.Due(&e.KillAt, time.Now()) {
		// With process 1 the kernel ends the rest (pid_namespaces(7)); where init is none, finish does.
		unix.PidfdSendSignal(s.initFD, unix.SIGKILL, nil, 0)
		s.cut()
	}
	e.Step(s.Say)
}

// Signal sends a signal to the server through init: its process id is sure to be the server's only there.
func (s *shim) Signal(sig unix.Signal) {
	if s.lifeline >= 0 {
		unix.Write(s.lifeline, []byte{byte(sig)})
	}
}

// Ask sends one that asks for the end.
func (s *shim) Ask(sig unix.Signal) {
	s.Signal(sig)
	s.Signal(unix.SIGCONT)
}

// leftBehind is told by init when the server has ended and processes of its are still there; or that a server with a
// terminal was stopped. A socket at its end reads as nothing: that is init's own end.
func (s *shim) leftBehind() {
	var b [8]byte
	n, err := unix.Read(s.up, b[:])
	if err == nil && string(b[:n]) == rows.MsgStopped {
		s.stoppedServer()
		return
	}
	s.initEnds(n > 0 && err == nil)
}

// initEnds is the last that init tells: whether it leaves processes behind.
func (s *shim) initEnds(leaves bool) {
	unix.Close(s.up)
	s.up = -1
	if leaves {
		s.end.Kill()
		if !s.shared() {
			s.cut()
		}
	}
}

// Kill ends the server, and with it everything: init kills and reaps what the server leaves behind. Should that take
// longer than it may, init is killed.
func (s *shim) Kill() (living int) {
	if s.shared() { // they are stopped before they are counted: a count takes as long as it is let
		living = s.sweepTree()
		s.end.KillAt = time.Now()
		return living
	}
	living = proctree.Living(s.init)
	s.Signal(unix.SIGKILL)
	s.end.KillAt = time.Now().Add(forInit)
	return living
}

// cut ends init's life line.
func (s *shim) cut() {
	if s.lifeline >= 0 {
		unix.Close(s.lifeline)
		s.lifeline = -1
	}
}
