package session

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

// A Session is one sandbox with what its clients wait for.
type Session struct {
	ID     string // of a legacy session; a secret
	Who    string // the principal
	Modern bool

	serial string // in the log
	flow
}

// flow is the traffic of a session. Methods with a small first letter are called with the lock held, but for push.
type flow struct {
	house *House
	box   *box

	mu      sync.Mutex
	calls   []*Call // in flight, the oldest first
	open    map[*Stream]bool
	get     *Stream
	waiting [][]byte      // for a GET
	room    chan struct{} // has an element when less waits for the streams
	last    uint64        // the number of the newest call, or of all calls
	since   time.Time
	leaving bool // no new call; the end comes when none is in flight
	over    bool
}

func newSession(h *House, b *box, who, serial string, modern bool) *Session {
	return &Session{Who: who, Modern: modern, serial: serial, flow: flow{house: h, box: b, since: time.Now(),
		open: map[*Stream]bool{}, room: make(chan struct{}, 1)}}
}

// A Call is a request in flight, and the stream of its answer.
type Call struct {
	*Stream
	key      string // the id that the server knows
	id       []byte // the client's
	token    string // of its progress, as the server knows it
	theirs   []byte // the client's
	listens  bool
	wantsLog bool
	left     bool // the client is gone, and the server still at it
	answered bool
	began    time.Time
}

// A Refusal is a message that the server has not seen, as HTTP answers it.
type Refusal struct {
	Status       int
	Reason, Text string // Reason is the metrics' word for it; "" where they count none
	Retry        int    // seconds; 0 for never
}

func (r *Refusal) Error() string { return r.Text }

// Refusals that are always the same.
var (
	ErrGone         = &Refusal{404, "", "no such session: begin with a POST of initialize", 0}
	errInFlight     = &Refusal{400, "", "a request with this id is in flight", 0}
	errLegacyServer = &Refusal{400, "", "the server speaks versions up to 2025-11-25: begin with initialize", 0}
	errRefused      = &Refusal{500, "", "the sandbox was refused", 0}
)

// NoRoom is the refusal by a limit: the client's own, or one of all. For a 5xx a balancer takes the replica out.
func NoRoom(reason string, retry int) *Refusal {
	r := &Refusal{503, reason, "no room: " + reason, retry}
	if reason == "principal-limit" || reason == "requests" {
		r.Status = 429
	}
	return r
}

// Call sends a message to the server. Without an error the server may have seen it, and a request's stream has what
// comes of it. Any other message is in flight only as long as it is on its way.
func (s *Session) Call(ctx context.Context, m *wire.Message) (*Call, error) {
	c := &Call{id: bytes.Clone(m.Value(wire.ID)), theirs: bytes.Clone(m.Value(wire.MetaToken)), began: time.Now(),
		wantsLog: m.Has(wire.MetaLogLevel), listens: s.Modern && m.String(wire.Method) == "subscriptions/listen"}
	s.mu.Lock()
	if err := s.admit(m.Kind); err != nil {
		s.mu.Unlock()
		return nil, err
	}
	raw := m.Raw
	if m.Kind != wire.Request {
		c.left = true // nothing comes of it
	} else if s.last++; s.Modern {
		c.key = strconv.FormatUint(s.last, 10)
		if c.theirs != nil {
			c.token = c.key
		}
		raw = m.With(wire.Change{At: wire.ID, To: []byte(c.key)}, wire.Change{At: wire.MetaToken, To: []byte(c.key)})
	} else if c.key, c.token = wire.Key(c.id), wire.Key(c.theirs); s.find(c.again) != nil {
		s.mu.Unlock()
		return nil, errInFlight
	}
	c.Stream = s.stream()
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	if m.Kind == wire.Request {
		s.house.journal.Add(journal.Requests, s.era(), 1)
	}
	err := s.box.send(ctx, raw)
	if m.Kind == wire.Request && (err == nil || errors.Is(err, errEnded)) {
		return c, nil // of a server that has ended the end answers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(c)
	s.close(c.Stream)
	if key := wire.Key(m.Value(wire.Cancelled)); err == nil && m.String(wire.Method) == cancelled && key != "" {
		if c := s.find((&Call{key: key}).same); c != nil {
			time.AfterFunc(s.house.limits.Cancelled, func() { s.Abandon(c) })
		}
	}
	return nil, err
}

func (c *Call) same(other *Call) bool { return c.key == other.key }

// again reports whether the call's id is one that the server has yet to answer.
func (c *Call) again(other *Call) bool { return c.same(other) && !other.answered }

// admit is the error of one message more. A call in flight may wait for one that is no request: an answer, or its end.
func (s *flow) admit(kind wire.Kind) error {
	most := s.house.limits.Requests
	if kind != wire.Request {
		most *= 2
	}
	inFlight := 0
	for _, c := range s.calls {
		if !c.answered { // else its client may have the answer already
			inFlight++
		}
	}
	switch {
	case s.over:
		return ErrGone
	case s.leaving && kind == wire.Request:
		return NoRoom("drain", 1)
	case inFlight >= most:
		return NoRoom("requests", 1)
	}
	s.touch()
	return nil
}

// Abandon ends a cancelled call that the server has not answered.
func (s *flow) Abandon(c *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(c)
	c.add(nil, true)
}

// Leave notes that the client reads no more of a call's stream. A modern call is cancelled by that. The server goes on
// with a legacy one.
func (s *Session) Leave(c *Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close(c.Stream)
	if s.get == c.Stream {
		s.get = nil
	}
	if c.left = true; s.Modern && !c.answered && s.remove(c) {
		s.box.tell([]byte(`{"jsonrpc":"2.0","method":"` + cancelled + `","params":{"requestId":` + c.key + `}}`))
	}
}

// Get opens the stream of a legacy session. It takes the place of the one before.
func (s *Session) Get() (*Call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaving || s.over {
		return nil, ErrGone
	}
	if s.get != nil {
		s.get.add(nil, true)
	}
	s.get = s.stream()
	for _, message := range s.waiting {
		s.get.add(message, false)
	}
	s.waiting = nil
	return &Call{Stream: s.get}, nil
}

// find is the youngest call of that kind.
func (s *flow) find(is func(*Call) bool) *Call {
	for i := len(s.calls) - 1; i >= 0; i-- {
		if is(s.calls[i]) {
			return s.calls[i]
		}
	}
	return nil
}

// remove reports whether a call was in flight, and is no more.
func (s *flow) remove(c *Call) bool {
	for i := range s.calls {
		if s.calls[i] == c {
			s.calls = slices.Delete(s.calls, i, i+1)
			if c.key != "" {
				s.house.journal.Observe(journal.RequestSeconds, time.Since(c.began))
			}
			s.touch()
			s.endIfDone()
			return true
		}
	}
	return false
}

func (s *flow) touch() { s.since = time.Now() }

func (s *Session) era() string {
	return map[bool]string{true: modernServer, false: legacyServer}[s.Modern]
}
