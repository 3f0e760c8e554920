package session

import (
	"cmp"
	"context"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A place is the sandbox of a modern principal, once there is one.
type place struct {
	ready   chan struct{} // closed when the rest is set
	session *Session
	err     error
}

// Initialize starts a session with its first message, and returns the answer. Without a result there is no session.
func (h *House) Initialize(ctx context.Context, who string, m *wire.Message) (*Session, []byte, error) {
	limited, stop := context.WithTimeout(ctx, h.limits.Start)
	defer stop()
	s, err := h.start(limited, who, false)
	if err != nil {
		return nil, nil, err
	}
	c, err := s.Call(limited, m)
	if err != nil {
		s.End(CauseInitialize)
		return nil, nil, err
	}
	defer s.Leave(c)
	answer, err := c.last(limited, func(early []byte) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wait(early)
	})
	if err != nil && ctx.Err() == nil {
		s.End(CauseStartTimeout)
		answer, err = c.last(ctx, func([]byte) {})
	}
	if err != nil {
		s.End(CauseInitialize)
		return nil, nil, err
	}
	if a, err := wire.Parse(answer); err == nil && a.Has(wire.Result) {
		if h.register(s) {
			return s, answer, nil
		}
		cause := cmp.Or(s.box.why, string(order.CauseExit)) // why it could not be registered
		answer = wire.Failure(c.id, wire.CodeInternal, "the server ended", map[string]string{"cause": cause})
	}
	s.End(CauseInitialize)
	return nil, answer, nil
}

// last waits for the answer itself, and hands on what comes earlier.
func (c *Call) last(ctx context.Context, early func([]byte)) ([]byte, error) {
	for {
		message, ended := c.Take()
		switch {
		case ended && message == nil:
			return nil, ErrGone
		case ended:
			return message, nil
		case message != nil:
			early(message)
			continue
		}
		select {
		case <-c.Ready():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Modern is the principal's one sandbox, which its first request starts.
func (h *House) Modern(ctx context.Context, who string) (*Session, error) {
	if h.era.Load() == legacyServer {
		return nil, errLegacyServer
	}
	h.mu.Lock()
	p := h.modern[who]
	if p == nil {
		p = &place{ready: make(chan struct{})}
		h.modern[who] = p
		go h.fill(p, who)
	}
	h.mu.Unlock()
	select {
	case <-p.ready:
		return p.session, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fill starts the sandbox for all requests that wait for it: the first client may go meanwhile.
func (h *House) fill(p *place, who string) {
	ctx, stop := context.WithTimeout(context.Background(), h.limits.Start)
	defer stop()
	defer close(p.ready)
	s, err := h.start(ctx, who, true)
	if err == nil && h.era.Load() == UnknownServer { // alone it ended before it said
		if h.era.CompareAndSwap(UnknownServer, s.discover(ctx)); h.era.Load() == legacyServer {
			s.End(CauseInitialize)
			err = errLegacyServer
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	p.session, p.err = s, err
	if gone := err != nil || isClosed(s.box.asked); gone && h.modern[who] == p {
		delete(h.modern, who)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// The eras of a server.
const (
	UnknownServer = "unknown" // it has ended, or not said which versions it speaks
	legacyServer  = "legacy"
	modernServer  = "modern"
)

// Probe runs the server once, and finds out which versions it speaks. The sandbox is gone when it returns, which is
// soon after the end of ctx. The error is the launch's.
func (h *House) Probe(ctx context.Context) (era string, err error) {
	limited, stop := context.WithTimeout(ctx, h.limits.Start)
	defer stop()
	s, err := h.start(limited, "", false)
	if err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, s.box.cancel)()
	h.era.Store(s.discover(ctx))
	s.End("probed")
	<-s.box.over
	return h.era.Load().(string), nil
}

const discover = `{"jsonrpc":"2.0","id":"serve","method":"server/discover","params":{"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"mcp-sandbox-serve","version":"1"}}}}`

// discover asks the server which versions it speaks. Silence is that of an old one.
func (s *Session) discover(ctx context.Context) string {
	ctx, stop := context.WithTimeout(ctx, s.house.limits.Discover)
	defer stop()
	m, _ := wire.Parse([]byte(discover))
	c, err := s.Call(ctx, m)
	if err != nil {
		return UnknownServer
	}
	defer s.Leave(c)
	answer, _ := c.last(ctx, func([]byte) {})
	a, err := wire.Parse(answer)
	switch {
	case err == nil && (a.Has(wire.Result) || a.Code() == wire.CodeVersion):
		return modernServer
	case isClosed(s.box.asked) && (err != nil || a.Code() == wire.CodeInternal): // it ended, and this is serve's answer
		return UnknownServer
	}
	return legacyServer
}
