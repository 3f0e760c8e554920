package basic

import (
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
)

// later has something done by the goroutine that watches, if that still does.
func (s *shim) later(f func()) {
	select {
	case s.events <- f:
	case <-s.gone:
	}
}

// watch stays with the server until it has ended.
func (s *shim) watch() {
	defer close(s.gone)
	letGoOfStdio()
	s.output.started()
	s.end.Begin(s.server, &s.policy)
	go func() {
		st := s.server.wait()
		s.events <- func() { s.status, s.over = st, true }
	}()
	if s.Watch != nil {
		go s.Watch(func() { s.later(s.hostGone) }, func() { s.later(func() { s.end.HostAsks(syscall.SIGTERM) }) })
	}
	go watchParent(s.host, func() { s.later(s.hostGone) })
	if s.session != nil {
		go s.session.watch(s.end.Grace(ending.Grace), func() { s.later(s.end.SessionEnds) })
	}
	for !s.over {
		var due <-chan time.Time
		if ms := s.end.Left(); ms >= 0 {
			due = time.After(time.Duration(ms) * time.Millisecond)
		}
		select {
		case f := <-s.events:
			f()
		case sig := <-s.signals:
			if n, ok := sig.(syscall.Signal); ok {
				s.passSignal(n)
			}
		case <-due:
		}
		if !s.over {
			s.end.Step(s.Say)
		}
	}
}

// passSignal hands a signal that came to the server. Those that ask for the end begin the escalation.
func (s *shim) passSignal(sig syscall.Signal) {
	if ending.Asks(sig) {
		s.end.HostAsks(sig)
		return
	}
	s.server.Signal(sig)
}

// hostGone begins the end of a server whose host has ended, or has closed its sandbox. Then it still reads how that ended.
func (s *shim) hostGone() { s.end.HostGone() }
