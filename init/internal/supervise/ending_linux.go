package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

const (
	// defaultGrace is between SIGTERM and SIGKILL if the policy names no other.
	defaultGrace = 5 * time.Second
	// fromHost is the same after a SIGTERM of the host or its end: the SDKs of hosts kill 2 s after theirs.
	fromHost = 1500 * time.Millisecond
	// twice is how close two signals count as one: timeout(1) signals its child and then the whole group.
	twice = 500 * time.Millisecond
	// forInit is how long init may take to kill and reap all that is left.
	forInit = 500 * time.Millisecond
)

// An ending is how far a server is on its way out: why, and the moments at which the next step is due. A zero time is
// never due.
type ending struct {
	cause  order.Cause // of the first thing that asked for the end; "" if the server ends by itself
	killed int         // living processes that were killed

	killing bool // init has been told to kill

	hostSignal unix.Signal // the host's first

	askedAt   time.Time // when the server was first asked to end
	hostAt    time.Time // when the host first asked, by a signal
	timeoutAt time.Time // when it has had its time
	stdinAt   time.Time // when to look at standard input again
	sessionAt time.Time // when the server must have noticed the end of its session
	killAt    time.Time // when to kill everything; when it is being killed, when to kill init
}

// because names the cause, unless there is one. Of what is killed because the server has ended the server is the cause.
func (e *ending) because(c order.Cause) {
	if e.cause == "" && !e.killing {
		e.cause = c
	}
}

func (e *ending) limit(d policy.Duration) {
	if t, limited := d.Value(); limited {
		e.timeoutAt = time.Now().Add(t)
	}
}

// left is how long a poll may take, in milliseconds; -1 for ever.
func (e *ending) left() int {
	next := time.Time{}
	for _, t := range [...]time.Time{e.timeoutAt, e.stdinAt, e.sessionAt, e.killAt} {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if next.IsZero() {
		return -1
	}
	const most = 24 * time.Hour // an int of milliseconds is 32 bits wide for the kernel
	return int(min(most, max(0, time.Until(next)))/time.Millisecond) + 1
}

// due reports whether a moment has come, and forgets it then.
func due(t *time.Time, now time.Time) bool {
	if t.IsZero() || now.Before(*t) {
		return false
	}
	*t = time.Time{}
	return true
}
