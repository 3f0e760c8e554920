package basic

import (
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
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
	s.end.Limit(s.policy.Limits.Timeout)
	go func() {
		st := s.server.wait()
		s.events <- func() { s.status, s.over = st, true }
	}()
	if s.Watch != nil {
		go s.Watch(func() { s.later(s.hostGone) }, func() { s.later(func() { s.askedBy(syscall.SIGTERM) }) })
	}
	go watchParent(func() { s.later(s.hostGone) })
	if s.session != nil {
		go s.session.watch(s.grace(ending.Grace), func() { s.later(s.sessionEnds) })
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
			s.pastDeadlines()
		}
	}
}

// pastDeadlines does what is due.
func (s *shim) pastDeadlines() {
	now, e := time.Now(), &s.end
	if ending.Due(&e.TimeoutAt, now) {
		e.Because(order.CauseTimeout)
		s.ask(syscall.SIGTERM, ending.Grace)
	}
	if ending.Due(&e.SessionAt, now) {
		e.Because(order.CauseStdinClosed)
		s.Say("standard input was closed by the host and the server went on: it is asked to end (onStdinClose \"ignore\" lets it live)")
		s.ask(syscall.SIGTERM, ending.Grace)
	}
	if ending.Due(&e.KillAt, now) {
		s.kill()
	}
}

// passSignal hands a signal that came to the server. Those that ask for the end begin the escalation.
func (s *shim) passSignal(sig syscall.Signal) {
	if ends(sig) {
		s.askedBy(sig)
		return
	}
	s.server.signal(sig)
}

// askedBy is told of a signal that asks for the end. The first one begins the escalation, or hastens one that has begun. The
// same again at once is timeout(1), which signals its child and then the whole group; later it is somebody's impatience.
func (s *shim) askedBy(sig syscall.Signal) {
	e := &s.end
	switch {
	case e.HostAt.IsZero():
		e.HostAt, e.HostSignal = time.Now(), sig
		e.Because(order.CauseCancelled)
		s.ask(sig, ending.FromHost)
	case time.Since(e.HostAt) >= ending.Twice:
		s.kill()
	case sig != e.HostSignal:
		s.server.signal(sig)
	}
}

// hostGone begins the end of a server whose host has ended. If the server has been asked already there is nobody left to
// wait for.
func (s *shim) hostGone() {
	s.sink.host = -1
	switch {
	case s.policy.OnHostExit == policy.Ignore:
	case s.end.AskedAt.IsZero():
		s.end.Because(order.CauseHostGone)
		s.ask(syscall.SIGTERM, ending.FromHost)
	default:
		s.kill()
	}
}

// sessionEnds is told that the host has closed standard input and that everything is read.
func (s *shim) sessionEnds() {
	s.end.SessionAt = time.Now().Add(s.grace(ending.Grace))
}

// ask asks the server to end and sets the moment of the kill.
func (s *shim) ask(sig syscall.Signal, otherwise time.Duration) {
	e, now := &s.end, time.Now()
	if e.Killing {
		return
	}
	s.server.ask(sig)
	if e.AskedAt.IsZero() {
		e.AskedAt = now
	}
	e.KillBy(now.Add(s.grace(otherwise)))
}

// kill ends the server and everything it started.
func (s *shim) kill() {
	if s.end.Killing {
		return
	}
	s.end.Killing = true
	s.end.Killed += s.server.kill()
}

func (s *shim) grace(otherwise time.Duration) time.Duration {
	if g, named := s.policy.Limits.Grace.Value(); named {
		return g
	}
	return otherwise
}
