package session

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

// Sweep ends sessions that are idle or of a principal that may no longer come. It does not return.
func (h *House) Sweep(may func(who string) bool) {
	for now := range time.Tick(h.limits.Sweep) {
		all, _, _ := h.look()
		for _, s := range all {
			if !may(s.Who) {
				s.End(CauseRevoked)
			} else {
				s.endIdle(now, h.limits.Idle, h.limits.IdleOpen)
			}
		}
		h.mu.Lock()
		maps.DeleteFunc(h.crashes, func(_ string, c crashes) bool { return now.After(c.until.Add(time.Hour)) })
		h.mu.Unlock()
	}
}

// crowded is the part of the idle time after which a session may make room.
const crowded = 15

// makeRoom waits for the end of a session of a principal who has as many as may be: of one that ends already, or else
// of the one that was idle longest and has no stream, which it ends: many clients go without a word, and the next one
// would wait for the idle time. It reports whether to try again.
func (h *House) makeRoom(ctx context.Context, who string) bool {
	all, _, _ := h.look()
	all = slices.DeleteFunc(all, func(s *Session) bool { return s.Who != who })
	i := slices.IndexFunc(all, func(s *Session) bool { return isClosed(s.box.asked) })
	if i < 0 {
		slices.SortFunc(all, func(a, b *Session) int { return a.quiet().Compare(b.quiet()) })
		i = slices.IndexFunc(all, func(s *Session) bool {
			return !s.Modern && s.endIdle(time.Now(), h.limits.Idle/crowded, forEver)
		})
	}
	if i < 0 {
		return false
	}
	select {
	case <-all[i].box.over:
		return true
	case <-ctx.Done():
		return false
	}
}

// quiet is since when nothing began or ended in the session.
func (s *Session) quiet() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since
}

const forEver = time.Duration(math.MaxInt64)

// look returns all sessions, how many sandboxes there are, also without one, and whether no more are started.
func (h *rooms) look() (all []*Session, total int, draining bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.all)), h.total, h.draining
}

// Draining reports whether no sandbox is started any more.
func (h *rooms) Draining() bool {
	_, _, draining := h.look()
	return draining
}

// Drain lets every session end with the last call in flight, and returns when nothing is left, with the time that
// calls still had. The limits end what takes too long.
func (h *House) Drain() (left time.Duration) {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	h.journal.Add(journal.Draining, "", 1)
	time.Sleep(h.limits.DrainDelay)
	late, until := time.After(h.limits.Drain), time.Now().Add(h.limits.Drain)
	for end := (*Session).leave; ; {
		all, total, _ := h.look()
		if total == 0 {
			h.runs.Wait() // for the last line of the log
			return time.Until(until)
		}
		for _, s := range all {
			end(s)
		}
		select {
		case <-h.changed:
		case <-late:
			end = func(s *Session) { s.End(CauseDrain) }
		}
	}
}

// The causes of an end that serve gives.
const (
	CauseDeleted      = "deleted"
	CauseIdle         = "idle"
	CauseDrain        = "drain"
	CauseStartTimeout = "start-timeout"
	CauseInitialize   = "initialize"
	CauseRevoked      = "revoked"
	causeLine         = "line"
	causeClosed       = "closed" // the server closed its standard input or output, and did not end
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
	s.box.finish()
	s.fail(s.box.cause, &s.box.exitCode)
	j := s.house.journal
	j.Add(journal.Ends, s.box.cause, 1)
	j.Add(journal.Sandboxes, s.era(), -1)
	s.mu.Lock()
	requests := s.last
	s.mu.Unlock()
	s.house.gone(s)
	close(s.box.over)
	j.Log.Info("sandbox ended", "id", s.serial, "principal", s.Who, "cause", s.box.cause, "exit", s.box.exitCode,
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
	s.over = true
	for _, c := range s.calls {
		if !c.answered && c.key != "" {
			c.add(wire.Failure(c.id, wire.CodeInternal, "the server ended: "+cause, data), true)
			c.answered = true
			s.house.journal.Observe(journal.RequestSeconds, time.Since(c.began))
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
	s.leaving = true
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
	if s.leaving && len(s.calls) == 0 {
		s.box.end(CauseDrain)
	}
}

// endIdle ends a session that had nothing to do for so long, or where a client reads a stream for so long, before it
// has again. A call that its client left counts for nothing: no answer to it can be read.
func (s *Session) endIdle(now time.Time, most, mostOpen time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) > 0 {
		most = mostOpen
	}
	if now.Sub(s.since) < most || s.find(func(c *Call) bool { return !c.left && !c.listens }) != nil {
		return false
	}
	s.over = true
	s.box.end(CauseIdle)
	s.house.forget(s) // before a call finds it
	return true
}
