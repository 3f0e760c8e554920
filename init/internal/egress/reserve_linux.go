package egress

import (
	"errors"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// A reserveFD is a descriptor that is held for the moment when no other can be had: a connection that cannot be
// accepted would keep its listener ready, and the loop busy, for as long as it waits. The zero reserveFD holds none.
type reserveFD struct{ fd int } // 0: none

func (s *reserveFD) open() {
	if s.fd > 0 {
		return
	}
	if fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		s.fd = fd
	}
}

// refuse resets one connection that waits at a listener, and reports whether none waits in vain: where the table of the
// whole machine is full (ENFILE), another process may take the place that is free for a moment here.
func (s *reserveFD) refuse(listener int) bool {
	s.close()
	fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if err == nil {
		reset(fd)
	}
	s.open()
	return !scarce(err)
}

func (s *reserveFD) close() {
	if s.fd > 0 {
		unix.Close(s.fd)
		s.fd = 0
	}
}

// scarce reports whether an error is that there is no descriptor: of this process's own (EMFILE), or in all (ENFILE).
func scarce(err error) bool { return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) }

// rest is how long connections wait in the queues where there is no descriptor to accept them, not even the spare one.
const rest = 100 * time.Millisecond

// listeners are where connections come in. While they are paused connections wait in the queues; listen(2).
type listeners struct {
	reserve reserveFD
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

// refuse is called where a connection waits at a listener, and there is no descriptor for it.
func (l *listeners) refuse(listener int) {
	if !l.reserve.refuse(listener) {
		l.pause(true)
		l.again = time.Now().Add(rest)
	}
}

// due ends a pause for want of descriptors. The spare one that was lost then comes back first.
func (l *listeners) due(now time.Time) {
	if !l.again.IsZero() && !now.Before(l.again) {
		l.reserve.open()
		l.pause(false)
	}
}
