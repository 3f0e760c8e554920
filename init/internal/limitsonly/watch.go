package limitsonly

import (
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// later has a function called by the goroutine that watches, as long as the server lives.
func (s *shim) later(f func()) {
	select {
	case s.events <- f:
	case <-s.over:
	}
}

// watch serves signals and timers until the server has ended. stdin is nil if the end of standard input ends nothing.
//
// Package loop is not used: neither macOS nor Windows has a descriptor on which poll(2) reports the end of a process.
func (s *shim) watch(stdin *session) order.Exited {
	defer close(s.over)
	closeStdio()
	s.output.started()
	s.end.Begin(s.server, &s.plan.policy)
	ended := make(chan order.Exited, 1)
	go func() { ended <- s.server.wait() }()
	hostGone := func() { s.later(s.end.HostGone) }
	if s.Watch != nil {
		go s.Watch(hostGone, func() { s.later(func() { s.end.HostAsks(syscall.SIGTERM) }) })
	}
	go watchParent(s.parent, hostGone)
	if stdin != nil {
		go stdin.watch(s.end.Grace(ending.Grace), func() { s.later(s.end.SessionEnds) })
	}
	for {
		var due <-chan time.Time
		if at := s.end.Next(); !at.IsZero() {
			due = time.After(time.Until(at))
		}
		select {
		case x := <-ended:
			return x
		case f := <-s.events:
			f()
		case sig := <-s.signals:
			s.passSignal(sig.(syscall.Signal))
		case <-due:
		}
		s.end.Step(s.say)
	}
}

// passSignal passes a signal on to the server. A signal that asks for the end begins the escalation.
func (s *shim) passSignal(sig syscall.Signal) {
	if ending.Asks(sig) {
		s.end.HostAsks(sig)
		return
	}
	s.server.Signal(sig)
}
