package egress

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// rest is how long connections wait in the queues where there is no descriptor to accept them, not even the spare one.
const rest = 100 * time.Millisecond

// listeners are where connections come in. While they are paused connections wait in the queues; listen(2).
type listeners struct {
	reserve sock.Spare // for a connection that cannot be accepted, and would keep its listener ready and the loop busy
	members []*loop.Member
	paused  bool
	again   time.Time // when a pause for want of descriptors is over; zero: it is none of those
}

// pause has connections wait, or be accepted again.
func (l *listeners) pause(pause bool) {
	l.again = time.Time{}
	if l.paused == pause {
		return
	}
	l.paused = pause
	events := uint32(unix.EPOLLIN)
	if pause {
		events = 0
	}
	for _, m := range l.members {
		_ = m.Wait(events) // it fails for none that the set has
	}
}

// reset resets one connection that waits at a listener, and reports whether none waits in vain: where the table of the
// whole machine is full (ENFILE), another process may take the place that is free for a moment here.
func (l *listeners) reset(listener int) bool {
	err := l.reserve.With(func() error {
		fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err == nil {
			reset(fd)
		}
		return err
	})
	return !sock.Scarce(err)
}

// refuse is called where a connection waits at a listener, and there is no descriptor for it.
func (l *listeners) refuse(listener int) {
	if !l.reset(listener) {
		l.pause(true)
		l.again = time.Now().Add(rest)
	}
}

// due ends a pause for want of descriptors. The spare one that was lost then comes back first.
func (l *listeners) due(now time.Time) {
	if !l.again.IsZero() && !now.Before(l.again) {
		l.reserve.Open()
		l.pause(false)
	}
}
