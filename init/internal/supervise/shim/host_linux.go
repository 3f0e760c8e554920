package shim

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/report"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// own is a process of the launch's own: the shim.
type own struct{ *shim }

func (s own) open() error { return s.monitor.signals.open() }

func (s own) configure(c *launch.Config) {
	c.Host.PIDFD, c.Host.Grace = s.Parent, s.hostGrace()
	c.Reaper, c.Process, c.Covers = s.Reaper, &s.orphans, coverWatch{s.monitor, nil}
}

// watchHost has the kernel send SIGCONT to this process when its parent ends: a stopped shim then wakes and ends its
// server. The setting is the calling thread's, which is locked. The end of the host's thread that started the shim
// sends the signal too, without effect; PR_SET_PDEATHSIG(2const).
func (s own) watchHost() error {
	if s.policy.OnHostExit == policy.Ignore {
		return nil
	}
	unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGCONT), 0, 0, 0)
	return s.check() // the host may have ended before that
}

// hostGrace is the delay after the host's end until init kills the server itself; 0 if onHostExit is ignore or the
// host is unknown.
func (s own) hostGrace() time.Duration {
	if s.Parent < 0 || s.policy.OnHostExit == policy.Ignore {
		return 0
	}
	grace := ending.FromHost
	if g, named := s.policy.Limits.Grace.Value(); named {
		grace = g
	}
	return grace + ending.Stopped
}

// interrupts are the descriptors that refuse a launch when one is ready: the signals that ask for the end, the host's
// process, which no child that the host forked outlives for it, and the host's socket, which it may close before.
func (s own) interrupts() []unix.PollFd {
	fds := []unix.PollFd{{Fd: int32(s.monitor.signals.asks), Events: unix.POLLIN}}
	if s.policy.OnHostExit == policy.Ignore { // or each poll would return at once when the host has ended
		return fds
	}
	return append(fds, unix.PollFd{Fd: int32(s.Parent), Events: unix.POLLIN},
		unix.PollFd{Fd: int32(s.Host), Events: unix.POLLIN})
}

// interrupted is an error if a launch is to be refused after a poll of the interrupts.
func (s own) interrupted(polled []unix.PollFd) error {
	if sig := signals.Next(s.monitor.signals.asks); ending.Asks(sig) {
		return report.Signalled{Signal: sig}
	}
	for i := 1; i < len(polled); i++ {
		if polled[i].Revents != 0 {
			return report.ErrHostGone
		}
	}
	return nil
}

// check is an error if the host is gone before the server's release, unless onHostExit is ignore.
func (s own) check() error {
	fds := s.interrupts()[1:]
	if n, err := unix.Poll(fds, 0); n > 0 && err == nil {
		return report.ErrHostGone
	}
	return nil
}

// Sockets is the refusal of a process that starts a shim, where an outer filter answers a socket call with SIGSYS. The
// thread must be locked.
func Sockets() *order.Refused {
	err := launch.CheckSockets()
	if err == nil {
		return nil
	}
	r := order.NewRefused(err)
	r.Hint = diagnose.NeedsSockets
	return r
}
