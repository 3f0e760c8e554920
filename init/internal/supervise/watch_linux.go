package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
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
	s.end.Begin(s, &s.policy)
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
	now, e := time.Now(), &s.end
	if ending.Due(&e.StdinAt, now) {
		s.stdinClosed()
	}
	if e.Killing && ending.Due(&e.KillAt, now) {
		// With process 1 the kernel ends the rest (pid_namespaces(7)); where init is none, finish does.
		unix.PidfdSendSignal(s.initFD, unix.SIGKILL, nil, 0)
		s.cut()
	}
	e.Step(s.Say)
}

// passSignals hands every signal that came to the server. The ones that ask for the end begin the escalation.
func (s *shim) passSignals() {
	for sig := signals.Next(s.signals); sig != 0; sig = signals.Next(s.signals) {
		switch {
		case ending.Asks(sig):
			s.end.HostAsks(sig)
		case sig == unix.SIGIO:
			s.moved()
		case s.terminal.takes(sig):
		default:
			s.Signal(sig)
			if sig == unix.SIGTSTP && s.terminal.user < 0 {
				suspend()
			}
		}
	}
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
	living = s.living()
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
