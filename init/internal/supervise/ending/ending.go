// Package ending decides when a server is asked to end and when it is killed, and keeps the cause.
//
//	var e ending.Ending
//	e.Begin(server, &policy)
//	wait(e.Next())
//	e.Step(say)
//
// The package is the part of supervision that is the same on every operating system, without system calls. A [Server]
// ends its server.
package ending

import (
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

const (
	// Grace is between SIGTERM and SIGKILL if the policy names no other.
	Grace = 5 * time.Second
	// FromHost is the same after a SIGTERM of the host or its end: the SDKs of hosts kill 2 s after theirs.
	FromHost = 1500 * time.Millisecond
	// Stopped is the time that the shim has beyond the grace to end the server of a host that has ended. Later the shim
	// counts as stopped, and init or the watchdog kills.
	Stopped = 2 * time.Second
	// repeatWindow is how close two signals count as one: timeout(1) signals its child and then the whole group.
	repeatWindow = 500 * time.Millisecond
)

// Exit codes of the launcher itself; the server's own are passed on. The convention is that of timeout(1) and env(1).
const (
	ExitTimeout = 124
	ExitSandbox = 125
	ExitCannot  = 126
	ExitMissing = 127
	ExitSignal  = 128 // plus the signal's number
)

// A Server receives the signals of an Ending.
type Server interface {
	// Signal hands a signal to the server's own process.
	Signal(syscall.Signal)
	// Ask sends a signal that asks for the end, and SIGCONT: a stopped server would not receive the first.
	Ask(syscall.Signal)
	// Kill kills the server and its descendants, and returns how many of them were alive.
	Kill() int
}

// Asks reports whether a signal asks for the end.
func Asks(s syscall.Signal) bool {
	return s == syscall.SIGTERM || s == syscall.SIGINT || s == syscall.SIGHUP
}

// An Ending is the state of one server's end. A zero time is never due.
type Ending struct {
	server Server
	policy *policy.Policy

	Cause  order.Cause // of the first thing that asked for the end; "" if the server ends by itself
	Killed int         // living processes that were killed

	Killing bool // Kill was called

	asked      time.Time      // when the server was first asked to end
	hostAsked  time.Time      // when the host first asked, by a signal
	hostSignal syscall.Signal // which
	hostGone   bool

	Deadlines
	Timer interface{ Set(time.Time) } // set to the moment of each next step; nil: the caller asks Next
}

// Deadlines are the moments of steps.
type Deadlines struct {
	TimeoutAt time.Time // when limits.timeout is over
	SessionAt time.Time // when a server that ignores the end of standard input is asked to end
	KillAt    time.Time // when to kill everything; after Kill, when to kill again
}

// Because sets the cause, unless there is one. After Kill no new cause counts: the rest is killed because the server
// has ended.
func (e *Ending) Because(c order.Cause) {
	if e.Cause == "" && !e.Killing {
		e.Cause = c
	}
}

// Begin starts the timeout of a server that was released.
func (e *Ending) Begin(s Server, p *policy.Policy) {
	e.server, e.policy = s, p
	if t, limited := p.Limits.Timeout.Value(); limited {
		e.TimeoutAt = time.Now().Add(t)
	}
}

// Grace is the time between SIGTERM and SIGKILL: the policy's, or else the given one.
func (e *Ending) Grace(otherwise time.Duration) time.Duration {
	if g, named := e.policy.Limits.Grace.Value(); named {
		return g
	}
	return otherwise
}

// Step takes the steps that are due.
func (e *Ending) Step(say func(line string)) {
	now := time.Now()
	if Expire(&e.TimeoutAt, now) {
		e.Because(order.CauseTimeout)
		e.Ask(syscall.SIGTERM, Grace)
	}
	if Expire(&e.SessionAt, now) {
		e.Because(order.CauseStdinClosed)
		say(notice.SessionOver)
		e.Ask(syscall.SIGTERM, Grace)
	}
	if Expire(&e.KillAt, now) {
		e.Kill()
	}
	e.setTimer()
}

func (e *Ending) setTimer() {
	if e.Timer != nil {
		e.Timer.Set(e.Next())
	}
}

// HostAsks handles a signal of the host that asks for the end. The first one starts the escalation, or shortens the
// grace of one that has started. A repeat within 500 ms is timeout(1) signalling child and group; a later one means:
// kill now.
func (e *Ending) HostAsks(sig syscall.Signal) {
	switch {
	case e.hostAsked.IsZero():
		e.hostAsked, e.hostSignal = time.Now(), sig
		e.Because(order.CauseCancelled)
		e.Ask(sig, FromHost)
	case time.Since(e.hostAsked) >= repeatWindow:
		e.Kill()
	case sig != e.hostSignal:
		e.server.Signal(sig)
	}
}

// HostGone handles the end of the host, however often it is noticed. A server that was asked to end already is killed:
// its host waits no more.
func (e *Ending) HostGone() {
	if e.hostGone || e.policy.OnHostExit == policy.Ignore {
		return
	}
	e.hostGone = true
	if !e.asked.IsZero() {
		e.Kill()
		return
	}
	e.Because(order.CauseHostGone)
	e.Ask(syscall.SIGTERM, FromHost)
}

// SessionEnds handles the end of standard input: the host has closed it and all of it is read.
func (e *Ending) SessionEnds() {
	e.SessionAt = time.Now().Add(e.Grace(Grace))
	e.setTimer()
}

// Ask sends the server a signal that asks for its end, and sets the moment of the kill, unless that is set earlier.
func (e *Ending) Ask(sig syscall.Signal, otherwise time.Duration) {
	if e.Killing {
		return
	}
	e.server.Ask(sig)
	now := time.Now()
	if e.asked.IsZero() {
		e.asked = now
	}
	if at := now.Add(e.Grace(otherwise)); e.KillAt.IsZero() || at.Before(e.KillAt) {
		e.KillAt = at
	}
	e.setTimer()
}

// Kill kills the server and its descendants, once.
func (e *Ending) Kill() {
	if e.Killing {
		return
	}
	e.Killing = true
	e.Killed += e.server.Kill()
	e.setTimer()
}

// Next is the moment of the next step, or zero.
func (e *Ending) Next() (first time.Time) {
	for _, t := range [...]time.Time{e.TimeoutAt, e.SessionAt, e.KillAt} {
		if !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// Expire reports whether a moment has come, and clears the moment then.
func Expire(t *time.Time, now time.Time) bool {
	if t.IsZero() || now.Before(*t) {
		return false
	}
	*t = time.Time{}
	return true
}
