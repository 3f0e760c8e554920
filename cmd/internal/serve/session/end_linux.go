package session

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

// The causes of an end that serve gives.
const (
	CauseDeleted      = "deleted"
	CauseIdle         = "idle"
	CauseDrain        = "drain"
	CauseStartTimeout = "start-timeout"
	CauseInitialize   = "initialize"
	CauseRevoked      = "revoked"
	causeLine         = "line"
)

// End ends the session, and with it every call in flight.
func (s *Session) End(cause string) { s.box.end(cause) }

// run is with a session from its start until nothing is left of it.
func (s *Session) run() {
	go s.box.read(s.line)
	<-s.box.asked
	s.house.forget(s)
	if why := s.box.why; why != "" {
		s.fail(why, nil)
	}
	<-s.box.over
	s.fail(s.box.cause, &s.box.exitCode)
	j := s.house.journal
	j.Add(journal.Ends, s.box.cause, 1)
	j.Add(journal.Sandboxes, s.era(), -1)
	s.mu.Lock()
	requests := s.last
	s.mu.Unlock()
	s.house.gone(s)
	j.Log.Info("sandbox ended", "id", s.serial, "cause", s.box.cause, "exit", s.box.exitCode,
		"seconds", s.box.lived.Round(time.Millisecond).Seconds(), "requests", requests)
}

// fail answers every call in flight with an error: the server may have seen it.
func (s *Session) fail(cause string, exitCode *int) {
	data := struct {
		Cause    string `json:"cause"`
		ExitCode *int   `json:"exitCode,omitempty"`
	}{cause, exitCode}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = over
	for _, c := range s.calls {
		if !c.answered && c.key != "" {
			c.add(wire.Failure(c.id, wire.CodeInternal, "the server ended: "+cause, data), true)
			c.answered = true
		}
	}
	s.calls = nil
	if s.get != nil {
		s.get.add(nil, true)
	}
}

// leave lets the session end when no call is in flight. A subscription is none that ends by itself: its client gets the
// result with which a server ends one.
func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phase = max(s.phase, leaving)
	for c := s.find(listens); c != nil; c = s.find(listens) {
		c.add([]byte(`{"jsonrpc":"2.0","id":`+string(c.id)+`,"result":{"resultType":"complete","_meta":{`+
			`"io.modelcontextprotocol/subscriptionId":`+string(c.id)+`}}}`), true)
		c.answered = true
		s.remove(c)
	}
	s.endIfDone()
}

func listens(c *Call) bool { return c.listens }

// endIfDone ends a session that is to leave and has nothing in flight.
func (s *flow) endIfDone() {
	if s.phase == leaving && len(s.calls) == 0 {
		s.box.end(CauseDrain)
	}
}

// idle reports whether the session had nothing to do for too long. A call that its client left counts for nothing: no
// answer to it can be read.
func (s *Session) idle(now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.find(func(c *Call) bool { return !c.left && !c.listens }) != nil {
		return false
	}
	most := s.house.limits.Idle
	if len(s.open) > 0 {
		most = s.house.limits.IdleOpen
	}
	return now.Sub(s.since) >= most
}
