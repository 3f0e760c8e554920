package session

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

const cancelled = "notifications/cancelled"

// line is a line of the server's, a stranger's in every word. Only ids and tokens of calls in flight lead
// anywhere.
func (s *Session) line(raw []byte) {
	m, err := wire.Parse(raw)
	if err != nil {
		s.box.log.Line(raw)
		return
	}
	if m.Kind == wire.Response {
		s.answer(m)
		return
	}
	if m.Kind == wire.Request && s.Modern {
		s.box.tell(wire.Failure(m.Value(wire.ID), wire.CodeNoMethod, "no server asks its client in this version", nil))
		return
	}
	s.mu.Lock()
	st, message := s.legacy(m), m.Raw
	if s.Modern {
		st, message = s.modern(m)
	}
	if st == nil && !s.Modern && m.String(wire.Method) != progress {
		s.wait(message)
	} else if st == nil {
		s.house.journal.Add(journal.Dropped, "", 1)
	}
	s.mu.Unlock()
	if st != nil {
		s.push(st, message, false)
	}
}

// answer ends the call that a response belongs to.
func (s *Session) answer(m *wire.Message) {
	s.mu.Lock()
	c := s.find((&Call{key: wire.Key(m.Value(wire.ID))}).same)
	if c != nil {
		c.answered = true
	}
	s.mu.Unlock()
	if c == nil {
		s.house.journal.Add(journal.Dropped, "", 1)
		return
	}
	raw := m.Raw
	if s.Modern {
		raw = m.With(wire.Change{At: wire.ID, To: c.id}, wire.Change{At: wire.ResultSubscription, To: c.id})
		if n := m.Value(wire.ResultSubscription); n != nil && wire.Key(n) != c.key {
			raw = wire.Failure(c.id, wire.CodeInternal, "the server answered with the number of another request", nil)
		}
	}
	s.push(c.Stream, raw, true) // before the call is gone: a drain waits for its answer
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(c)
}

const progress = "notifications/progress"

// legacy is the one stream of a message, or nil.
func (s *flow) legacy(m *wire.Message) *Stream {
	is, other := func(c *Call) bool { return !c.left && !c.ended }, s.get
	switch method := m.String(wire.Method); {
	case method == progress:
		token := wire.Key(m.Value(wire.Token))
		is, other = func(c *Call) bool { return token != "" && c.token == token }, nil
	case strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated":
		return s.get
	}
	if c := s.find(is); c != nil {
		return c.Stream
	}
	return other
}

// modern is the same, and the message with the client's own token and id.
func (s *flow) modern(m *wire.Message) (*Stream, []byte) {
	subscription, method := wire.Key(m.Value(wire.MetaSubscription)), m.String(wire.Method)
	var is func(*Call) bool
	switch token := wire.Key(m.Value(wire.Token)); {
	case m.Has(wire.MetaSubscription):
		is = func(c *Call) bool { return c.listens && c.key == subscription && method != progress }
	case method == progress:
		is = func(c *Call) bool { return token != "" && c.token == token }
	case method == "notifications/message":
		is = func(c *Call) bool { return c.wantsLog }
	default:
		is = func(c *Call) bool { return !c.listens }
	}
	c := s.find(is)
	if c == nil || !m.Has(wire.MetaSubscription) && method != progress &&
		s.find(func(other *Call) bool { return other != c && is(other) }) != nil {
		return nil, nil // it may belong to any of several
	}
	changes := []wire.Change{{At: wire.MetaSubscription, To: c.id}}
	if method == progress {
		changes = append(changes, wire.Change{At: wire.Token, To: c.theirs})
	}
	return c.Stream, m.With(changes...)
}
