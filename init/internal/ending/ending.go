// Package ending is how far a server is on its way out: why, and the moments at which the next step is due.
//
//	var e ending.Ending
//	e.Limit(policy.Limits.Timeout)
//	wait(e.Left())
//	if ending.Due(&e.TimeoutAt, time.Now()) { e.Because(order.CauseTimeout); ... }
//
// It is the part of supervision that is the same on every operating system; it makes no system call, and what a step does
// is its caller's.
package ending

import (
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

const (
	// Grace is between SIGTERM and SIGKILL if the policy names no other.
	Grace = 5 * time.Second
	// FromHost is the same after a SIGTERM of the host or its end: the SDKs of hosts kill 2 s after theirs.
	FromHost = 1500 * time.Millisecond
	// Twice is how close two signals count as one: timeout(1) signals its child and then the whole group.
	Twice = 500 * time.Millisecond
)

// Exit codes of the launcher itself; the server's own are passed on. The convention is that of timeout(1) and env(1).
const (
	ExitTimeout = 124
	ExitSandbox = 125
	ExitCannot  = 126
	ExitMissing = 127
	ExitSignal  = 128 // plus the signal's number
)

// An Ending is how far a server is on its way out. A zero time is never due.
type Ending struct {
	Cause  order.Cause // of the first thing that asked for the end; "" if the server ends by itself
	Killed int         // living processes that were killed

	Killing bool // everything is being killed

	HostSignal syscall.Signal // the host's first

	AskedAt   time.Time // when the server was first asked to end
	HostAt    time.Time // when the host first asked, by a signal
	TimeoutAt time.Time // when it has had its time
	StdinAt   time.Time // when to look at standard input again
	SessionAt time.Time // when the server must have noticed the end of its session
	KillAt    time.Time // when to kill everything; when it is being killed, when to kill harder
}

// Because names the cause, unless there is one. Of what is killed because the server has ended the server is the cause.
func (e *Ending) Because(c order.Cause) {
	if e.Cause == "" && !e.Killing {
		e.Cause = c
	}
}

// Limit sets the moment at which the server has had its time.
func (e *Ending) Limit(d policy.Duration) {
	if t, limited := d.Value(); limited {
		e.TimeoutAt = time.Now().Add(t)
	}
}

// KillBy sets the moment of the kill, unless there is an earlier one.
func (e *Ending) KillBy(at time.Time) {
	if e.KillAt.IsZero() || at.Before(e.KillAt) {
		e.KillAt = at
	}
}

// Left is how long nothing is due, in milliseconds; -1 for ever.
func (e *Ending) Left() int {
	next := time.Time{}
	for _, t := range [...]time.Time{e.TimeoutAt, e.StdinAt, e.SessionAt, e.KillAt} {
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

// Due reports whether a moment has come, and forgets it then.
func Due(t *time.Time, now time.Time) bool {
	if t.IsZero() || now.Before(*t) {
		return false
	}
	*t = time.Time{}
	return true
}
