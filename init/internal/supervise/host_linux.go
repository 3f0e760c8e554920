package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// wakeWithHost has the kernel send SIGCONT to this process when its parent ends: a shim that somebody stopped wakes then, and
// ends its server. It is the calling thread's, which is locked. The end of the one thread of the host that started the shim
// brings the signal too, and of that nothing follows; PR_SET_PDEATHSIG(2const).
func (s *shim) wakeWithHost() error {
	if s.policy.OnHostExit == policy.Ignore {
		return nil
	}
	unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGCONT), 0, 0, 0)
	return s.hosted() // it may have ended before that
}

// afterGrace is how much longer than the server's grace a shim may take to end it. A shim that was stopped takes for ever.
const afterGrace = 2 * time.Second

// hostGrace is after which time init does what the shim has not done, once the host has ended; 0 if that is nobody's end.
func (s *shim) hostGrace() time.Duration {
	if s.Parent < 0 || s.policy.OnHostExit == policy.Ignore {
		return 0
	}
	grace := ending.FromHost
	if g, named := s.policy.Limits.Grace.Value(); named {
		grace = g
	}
	return grace + afterGrace
}

// hostPoll is what to poll for the end of the host: of its process, which no child that it forked outlives for it, and of its
// socket, which it may close before.
func (s *shim) hostPoll() [2]unix.PollFd {
	return [...]unix.PollFd{{Fd: int32(s.Parent), Events: unix.POLLIN}, {Fd: int32(s.Host), Events: unix.POLLIN}}
}

// hosted is an error if the host is gone before the server was released, and that matters.
func (s *shim) hosted() error {
	fds := s.hostPoll()
	if n, err := unix.Poll(fds[:], 0); n > 0 && err == nil {
		return s.unhosted(fds[:])
	}
	return nil
}

// unhosted is the same after a poll.
func (s *shim) unhosted(fds []unix.PollFd) error {
	for i := range fds {
		if fds[i].Revents != 0 && s.policy.OnHostExit != policy.Ignore {
			return report.ErrHostGone
		}
	}
	return nil
}

// hostGone begins the end of a server whose host has ended, or has closed its sandbox. Then it still reads how that ended.
func (s *shim) hostGone(of *loop.Source) {
	of.Remove()
	s.end.HostGone()
}
