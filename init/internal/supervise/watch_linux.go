package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A source is a descriptor that the shim waits for, and what to do when poll(2) has something to say of it. A negative
// descriptor is passed over.
type source struct {
	fd     *int
	events int16
	ready  func(revents int16)
}

// watch stays with the server until init has ended. There is one poll, without a time-out unless a deadline is set.
func (s *shim) watch() {
	letGoOfStdio()
	s.alsoRaw()
	s.terminal.enter()
	s.end.limit(s.policy.Limits.Timeout)
	ended := false
	sources := []source{
		{&s.initFD, unix.POLLIN, func(int16) { ended = true }},
		{&s.up, unix.POLLIN, func(int16) { s.leftBehind() }},
		{&s.signals, unix.POLLIN, func(int16) { s.passSignals() }},
		{&s.Host, unix.POLLIN, func(int16) { s.hostGone(&s.Host) }},
		{&s.Parent, unix.POLLIN, func(int16) { s.hostGone(&s.Parent) }},
		{&s.stdin.fd, unix.POLLRDHUP, func(int16) { s.stdinClosed() }},
		{&s.lookout.table, unix.POLLPRI, s.unmounted},
	}
	sources = append(sources, s.carried()...)
	fds := make([]unix.PollFd, len(sources))
	for !ended {
		for i := range sources {
			fds[i] = unix.PollFd{Fd: int32(*sources[i].fd), Events: sources[i].events}
		}
		if _, err := unix.Poll(fds, s.end.left()); err != nil && err != unix.EINTR {
			s.end.because(order.CauseSupervisorLost)
			s.cut() // init ends, and the wait for it needs no poll
			return
		}
		for i := range fds {
			if fds[i].Revents != 0 && !ended {
				sources[i].ready(fds[i].Revents)
			}
		}
		if !ended {
			s.pastDeadlines()
		}
	}
}

// pastDeadlines does what is due.
func (s *shim) pastDeadlines() {
	now := time.Now()
	e := &s.end
	if due(&e.timeoutAt, now) {
		e.because(order.CauseTimeout)
		s.ask(unix.SIGTERM, defaultGrace)
	}
	if due(&e.stdinAt, now) {
		s.stdinClosed()
	}
	if due(&e.sessionAt, now) {
		s.sessionOver()
	}
	if due(&e.killAt, now) {
		if !e.killing {
			s.kill()
			return
		}
		s.cut()
		unix.PidfdSendSignal(s.initFD, unix.SIGKILL, nil, 0) // with process 1 the kernel ends the rest; pid_namespaces(7)
	}
}

// passSignals hands every signal that came to the server. The ones that ask for the end begin the escalation.
func (s *shim) passSignals() {
	for sig := signals.Next(s.signals); sig != 0; sig = signals.Next(s.signals) {
		switch {
		case ends(sig):
			s.asked(sig)
		case sig == unix.SIGIO:
			s.moved()
		case s.terminal.takes(sig):
		default:
			s.signal(sig)
			if sig == unix.SIGTSTP && s.terminal.user < 0 {
				suspend()
			}
		}
	}
}

// asked is told of a signal that asks for the end. The first one begins the escalation, or hastens one that has begun. The
// same again at once is timeout(1), which signals its child and then the whole group; later it is somebody's impatience.
func (s *shim) asked(sig unix.Signal) {
	e := &s.end
	switch {
	case e.hostAt.IsZero():
		e.hostAt, e.hostSignal = time.Now(), sig
		e.because(order.CauseCancelled)
		s.ask(sig, fromHost)
	case time.Since(e.hostAt) >= twice:
		s.kill()
	case sig != e.hostSignal:
		s.signal(sig)
	}
}

// hostGone begins the end of a server whose host has ended. If the server has been asked already there is nobody left to
// wait for.
func (s *shim) hostGone(fd *int) {
	unix.Close(*fd)
	*fd, s.sink.host = -1, -1
	switch {
	case s.policy.OnHostExit == policy.Ignore:
	case s.end.askedAt.IsZero():
		s.end.because(order.CauseHostGone)
		s.ask(unix.SIGTERM, fromHost)
	default:
		s.kill()
	}
}

// ask signals the server and sets the moment of the kill, if there is no earlier one. A stopped server is woken, or it
// would never hear of it.
func (s *shim) ask(sig unix.Signal, otherwise time.Duration) {
	e, now := &s.end, time.Now()
	if e.killing {
		return
	}
	s.signal(sig)
	s.signal(unix.SIGCONT)
	if e.askedAt.IsZero() {
		e.askedAt = now
	}
	if at := now.Add(s.grace(otherwise)); e.killAt.IsZero() || at.Before(e.killAt) {
		e.killAt = at
	}
}

// signal sends a signal to the server through init: its process id is sure to be the server's only there.
func (s *shim) signal(sig unix.Signal) {
	if s.lifeline >= 0 {
		unix.Write(s.lifeline, []byte{byte(sig)})
	}
}

// leftBehind is told by init when the server has ended and processes of its are still there; or that a server with a
// terminal was stopped. A socket at its end reads as nothing: that is init's own end.
func (s *shim) leftBehind() {
	var b [8]byte
	n, err := unix.Read(s.up, b[:])
	if err == nil && string(b[:n]) == rows.Stopped {
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
		s.kill()
		s.cut()
	}
}

// kill ends the server, and with it everything: init kills and reaps what the server leaves behind. Should that take
// longer than it may, init is killed.
func (s *shim) kill() {
	if s.end.killing {
		return
	}
	s.end.killing = true
	s.end.killed = s.living()
	s.signal(unix.SIGKILL)
	s.end.killAt = time.Now().Add(forInit)
}

// cut ends init's life line.
func (s *shim) cut() {
	if s.lifeline >= 0 {
		unix.Close(s.lifeline)
		s.lifeline = -1
	}
}

func (s *shim) grace(otherwise time.Duration) time.Duration {
	if g, named := s.policy.Limits.Grace.Value(); named {
		return g
	}
	return otherwise
}
