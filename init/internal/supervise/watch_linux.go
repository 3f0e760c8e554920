package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// fromHost is the grace after a SIGTERM of the host, if the policy names none: the SDKs of hosts kill 2 s after it.
const fromHost = 1500 * time.Millisecond

// twice is how close two signals count as one: timeout(1) signals its child and then the whole group.
const twice = 500 * time.Millisecond

// An ending is the way from a reason to stop to the moment when everything is killed.
type ending struct {
	cause    order.Cause // empty while nothing asked for the end
	asked    time.Time   // when the server was first signalled
	deadline time.Time   // when everything is killed
	killed   int
}

// watch stays with the server until init has ended, and returns why it ended.
func (s *shim) watch() ending {
	var e ending
	fds := []unix.PollFd{
		{Fd: int32(s.initFD), Events: unix.POLLIN},
		{Fd: int32(s.signals), Events: unix.POLLIN},
		{Fd: int32(s.Host), Events: unix.POLLIN}, // negative descriptors are passed over
		{Fd: int32(s.Parent), Events: unix.POLLIN},
	}
	for {
		if _, err := unix.Poll(fds, e.left()); err != nil && err != unix.EINTR {
			e.cause = order.CauseSupervisorLost
			s.kill(&e)
		}
		if fds[0].Revents != 0 {
			return e
		}
		for sig := signals.Next(s.signals); sig != 0; sig = signals.Next(s.signals) {
			s.pass(sig, &e)
		}
		if fds[2].Revents != 0 || fds[3].Revents != 0 {
			fds[2].Fd, fds[3].Fd = -1, -1
			s.hostGone(&e)
		}
		if e.due() {
			s.kill(&e)
		}
	}
}

// left is how long a poll may take, in milliseconds; -1 for ever.
func (e *ending) left() int {
	if e.deadline.IsZero() {
		return -1
	}
	return max(0, int(time.Until(e.deadline)/time.Millisecond)+1)
}

func (e *ending) due() bool { return !e.deadline.IsZero() && !time.Now().Before(e.deadline) }

// pass hands a signal to the server. The ones that ask for the end begin the escalation.
func (s *shim) pass(sig unix.Signal, e *ending) {
	s.signal(sig)
	if !ends(sig) {
		return
	}
	now := time.Now()
	switch {
	case e.asked.IsZero():
		e.asked = now
		e.cause, e.deadline = order.CauseCancelled, now.Add(s.grace(fromHost))
	case now.Sub(e.asked) >= twice:
		e.deadline = now
	}
}

// hostGone ends a server whose host has ended. If the host had asked for the end already, there is nobody left to wait for.
func (s *shim) hostGone(e *ending) {
	now := time.Now()
	if !e.asked.IsZero() {
		e.deadline = now
		return
	}
	s.signal(unix.SIGTERM)
	e.asked, e.cause, e.deadline = now, order.CauseHostGone, now.Add(s.grace(fromHost))
}

// signal sends a signal to the server through init: its process id is sure to be the server's only there.
func (s *shim) signal(sig unix.Signal) {
	if s.lifeline >= 0 {
		unix.Write(s.lifeline, []byte{byte(sig)})
	}
}

// kill ends init, and so every process of the sandbox.
func (s *shim) kill(e *ending) {
	if s.lifeline >= 0 {
		unix.Close(s.lifeline)
		s.lifeline = -1
	}
	unix.PidfdSendSignal(s.initFD, unix.SIGKILL, nil, 0)
	e.deadline = time.Time{}
}

func (s *shim) grace(otherwise time.Duration) time.Duration {
	if g, named := s.policy.Limits.Grace.Value(); named {
		return g
	}
	return otherwise
}
