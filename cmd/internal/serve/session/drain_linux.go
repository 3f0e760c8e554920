package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
)

// Sweep ends sessions that are idle or of a principal that may no longer come, until ctx ends.
func (h *House) Sweep(ctx context.Context, may func(who string) bool) {
	every := time.NewTicker(h.limits.Sweep)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-every.C:
			for _, s := range h.sessions() {
				if !may(s.Who) {
					s.End(CauseRevoked)
				} else if s.idle(now) {
					s.End(CauseIdle)
				}
			}
			h.mu.Lock()
			maps.DeleteFunc(h.crashes, func(_ string, c crashes) bool { return now.After(c.until.Add(time.Hour)) })
			h.mu.Unlock()
		}
	}
}

func (h *rooms) sessions() []*Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.all))
}

// Draining reports whether no sandbox is started any more.
func (h *rooms) Draining() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.draining
}

// Drain lets every session end with the last call in flight, and returns when nothing is left. The end of ctx ends it
// sooner, and the limits what takes too long.
func (h *House) Drain(ctx context.Context) {
	h.mu.Lock()
	h.draining = true
	h.mu.Unlock()
	h.journal.Add(journal.Draining, "", 1)
	delay := time.NewTimer(h.limits.DrainDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-ctx.Done():
		return
	}
	late := time.NewTimer(h.limits.Drain)
	defer late.Stop()
	for end := (*Session).leave; h.left() > 0; {
		for _, s := range h.sessions() {
			end(s)
		}
		select {
		case <-h.changed:
		case <-late.C:
			end = func(s *Session) { s.End(CauseDrain) }
		case <-ctx.Done():
			return
		}
	}
}

func (h *rooms) left() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.total
}
