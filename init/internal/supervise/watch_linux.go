package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/covers"
	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/proctree"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// forInit is how long init may take to kill and reap all that is left.
const forInit = 500 * time.Millisecond

// sources are the shim's own among those that its loop waits for.
type sources struct {
	up, host, parent, forks *loop.Source
}

// watch stays with the server until init has ended.
func (s *shim) watch() {
	detachStdio()
	s.endLines()
	s.stdio.Terminal.Enter()
	s.end.Begin(s, &s.policy)
	s.appeared = covers.Appeared{Find: s.view.Appeared, Say: s.Say}
	s.group.forks = s.group.RefusedForks()
	s.register()
	if err := s.loop.Run(); err != nil {
		s.end.Because(order.CauseSupervisorLost)
		s.cut() // init ends, and the wait for it needs no poll
	}
}

// register has the loop wait for everything that can happen while a server runs.
func (s *shim) register() {
	l, w := &s.loop, &s.sources
	l.Add(s.initFD, unix.POLLIN, func(int16) { l.End() })
	w.up = l.Add(s.up, unix.POLLIN, func(int16) { s.leftBehind() })
	l.Add(s.asks, unix.POLLIN, func(int16) { s.passAsks() })
	l.Add(s.signals, unix.POLLIN, func(int16) { s.passSignals() })
	w.host = l.Add(s.Host, unix.POLLIN, func(int16) { s.hostGone(w.host) })
	w.parent = l.Add(s.Parent, unix.POLLIN, func(int16) { s.hostGone(w.parent) })
	s.renames.register(l)
	s.resized.register(l)
	s.covers.Register(l)
	s.listener.Register(l)
	w.forks = l.Add(s.group.forks, unix.POLLPRI, func(int16) { s.forksRefused() })
	s.registerStdio()
	s.appeared.Register(l, s.end.Next)
	end := l.Timer(s.pastDeadlines)
	l.Before(func() { end.Set(s.end.Next()) })
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
	s.appeared.LookEarly()
}

// sessionEnds is told that the host has closed standard input, and that everything is read.
func (s *shim) sessionEnds() {
	s.end.SessionEnds()
	s.appeared.LookEarly()
}

// leftBehind is told by init when the server has ended and processes of its are still there; or that a server with a
// terminal was stopped. A socket at its end reads as nothing: that is init's own end.
func (s *shim) leftBehind() {
	var b [8]byte
	n, err := unix.Read(s.up, b[:])
	if err == nil && string(b[:n]) == confine.MsgStopped {
		s.stoppedServer()
		return
	}
	s.initEnds(n > 0 && err == nil)
}

// initEnds is the last that init tells: whether it leaves processes behind.
func (s *shim) initEnds(leaves bool) {
	unix.Close(s.up)
	s.up = -1
	s.sources.up.Remove()
	s.covers.Stop()
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
	s.covers.Stop()
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
