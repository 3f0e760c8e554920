package supervise

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
)

// A source is a descriptor that the shim waits for, and what to do when poll(2) has something to say of it: a bounded piece
// of work, for what is left is told again in the next turn. A negative descriptor is passed over.
type source struct {
	fd     *int
	events int16
	ready  func(revents int16)
}

// A timer is a moment, and a bounded piece of work that is due then. A zero moment never comes.
type timer struct {
	at  *time.Time
	due func()
}

// A loop waits for descriptors and moments. In each turn every one that is ready is served once, so none starves another.
type loop struct {
	sources []source
	timers  []timer
	fds     []unix.PollFd
}

// turn waits until something is ready, but no longer than so many milliseconds, -1 for ever, and serves it. Nothing more is
// done once over says so.
func (l *loop) turn(most int, over func() bool) error {
	l.fds = l.fds[:0]
	for _, s := range l.sources {
		l.fds = append(l.fds, unix.PollFd{Fd: int32(*s.fd), Events: s.events})
	}
	for _, t := range l.timers {
		if left := ending.Milliseconds(*t.at); left >= 0 && (most < 0 || left < most) {
			most = left
		}
	}
	if _, err := unix.Poll(l.fds, most); err != nil && err != unix.EINTR {
		return err
	}
	for i, fd := range l.fds {
		if fd.Revents != 0 && !over() {
			l.sources[i].ready(fd.Revents)
		}
	}
	now := time.Now()
	for _, t := range l.timers {
		if !over() && ending.Due(t.at, now) {
			t.due()
		}
	}
	return nil
}
