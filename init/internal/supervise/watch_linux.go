package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// forInit is how long init may take to kill and reap all that is left.
const forInit = 500 * time.Millisecond

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
	s.end.Limit(s.policy.Limits.Timeout)
	s.group.forks = s.group.RefusedForks()
	ended := false
	sources := []source{
		{&s.initFD, unix.POLLIN, func(int16) { ended = true }},
		{&s.up, unix.POLLIN, func(int16) { s.leftBehind() }},
		{&s.signals, unix.POLLIN, func(int16) { s.passSignals() }},
		{&s.Host, unix.POLLIN, func(int16) { s.hostGone(&s.Host) }},
		{&s.Parent, unix.POLLIN, func(int16) { s.hostGone(&s.Parent) }},
		{&s.stdin.fd, unix.POLLRDHUP, func(int16) { s.stdinClosed() }},
		{&s.lookout.table, unix.POLLPRI, s.unmounted},
		{&s.listener.calls, unix.POLLIN, s.denied},
		{&s.listener.pause, unix.POLLIN, func(int16) { s.listener.rested() }},
		{&s.group.forks, unix.POLLPRI, func(int16) { s.forksRefused() }},
	}
	sources = append(sources, s.carried()...)
	fds := make([]unix.PollFd, len(sources))
	for !ended {
		for i := range sources {
			fds[i] = unix.PollFd{Fd: int32(*sources[i].fd), Events: sources[i].events}
		}
		if _, err := unix.Poll(fds, s.end.Left()); err != nil && err != unix.EINTR {
			s.end.Because(order.CauseSupervisorLost)
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
	if ending.Due(&e.TimeoutAt, now) {
		e.Because(order.CauseTimeout)
		s.ask(unix.SIGTERM, ending.Grace)
	}
	if ending.Due(&e.StdinAt, now) {
		s.stdinClosed()
	}
	if ending.Due(&e.SessionAt, now) {
		s.sessionOver()
	}
	if ending.Due(&e.KillAt, now) {
		if !e.Killing {
			s.kill()
			return
		}
		// With process 1 the kernel ends the rest (pid_namespaces(7)); where init is none, finish does.
		unix.PidfdSendSignal(s.initFD, unix.SIGKILL, nil, 0)
		s.cut()
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
	case e.HostAt.IsZero():
		e.HostAt, e.HostSignal = time.Now(), sig
		e.Because(order.CauseCancelled)
		s.ask(sig, ending.FromHost)
	case time.Since(e.HostAt) >= ending.Twice:
		s.kill()
	case sig != e.HostSignal:
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
	case s.end.AskedAt.IsZero():
		s.end.Because(order.CauseHostGone)
		s.ask(unix.SIGTERM, ending.FromHost)
	default:
		s.kill()
	}
}

// ask signals the server and sets the moment of the kill, if there is no earlier one. A stopped server is woken, or it
// would never hear of it.
func (s *shim) ask(sig unix.Signal, otherwise time.Duration) {
	e, now := &s.end, time.Now()
	if e.Killing {
		return
	}
	s.signal(sig)
	s.signal(unix.SIGCONT)
	if e.AskedAt.IsZero() {
		e.AskedAt = now
	}
	e.KillBy(now.Add(s.grace(otherwise)))
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
		if !s.shared() {
			s.cut()
		}
	}
}

// kill ends the server, and with it everything: init kills and reaps what the server leaves behind. Should that take
// longer than it may, init is killed.
func (s *shim) kill() {
	if s.end.Killing {
		return
	}
	s.end.Killing = true
	if s.shared() { // they are stopped before they are counted: a count takes as long as it is let
		s.end.Killed = s.sweepTree()
		s.end.KillAt = time.Now()
		return
	}
	s.end.Killed = s.living()
	s.signal(unix.SIGKILL)
	s.end.KillAt = time.Now().Add(forInit)
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
