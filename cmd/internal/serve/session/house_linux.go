// Package session has the sandboxes of all clients: which there are, what is in flight in each, and where a server's
// messages go.
//
//	h := session.New(limits, log, specify)
//	s, answer, err := h.Initialize(ctx, principal, message) // a client up to 2025-11-25: a sandbox of its own
//	s, err := h.Modern(ctx, principal)                      // from 2026-07-28 on: one for the principal
//	call, err := s.Call(ctx, message)
//
// A session belongs to its principal. What waits for clients is bounded in bytes (stream.go), what waits for a server
// stays with the goroutine of its request.
package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Limits are how much there may be of everything, and how long it may last.
type Limits struct {
	Sandboxes, PerPrincipal, Requests int
	Idle, IdleOpen                    time.Duration
	Start                             time.Duration // until the answer to initialize
	DrainDelay, Drain                 time.Duration
	Slow, Cancelled, Discover, Sweep  time.Duration // no flags
}

// Usual are the limits without flags.
func Usual() Limits {
	return Limits{Sandboxes: 100, PerPrincipal: 8, Requests: 64, Idle: 15 * time.Minute, IdleOpen: 12 * time.Hour,
		Start: time.Minute, DrainDelay: 5 * time.Second, Drain: time.Minute, Slow: 30 * time.Second,
		Cancelled: 3 * time.Second, Discover: 3 * time.Second, Sweep: time.Second}
}

// A Specify is what to start for a principal. The serial names it in the log.
type Specify func(who, serial string) (Spec, error)

// A House has all sessions.
type House struct {
	journal *journal.Journal
	specify Specify
	era     atomic.Int32
	rooms
}

// New makes a house without sessions.
func New(l Limits, j *journal.Journal, specify Specify) *House {
	return &House{journal: j, specify: specify, rooms: rooms{limits: l, legacy: map[string]*Session{},
		modern: map[string]*place{}, all: map[*Session]bool{}, taken: map[string]int{}, crashes: map[string]crashes{},
		changed: make(chan struct{}, 1)}}
}

// start starts a sandbox in which nothing is in flight yet.
func (h *House) start(ctx context.Context, who string, modern bool) (*Session, error) {
	serial, err := h.reserve(who)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	spec, err := h.specify(who, serial)
	var b *box
	if err == nil {
		b, err = open(ctx, spec)
	}
	if err != nil {
		h.vacate(who)
		h.journal.Add(journal.Starts, "refused", 1)
		var r *order.Refusal
		if !errors.As(err, &r) {
			r = &order.Refusal{Layer: order.Exec}
		}
		h.journal.Log.Error("sandbox refused", "layer", r.Layer, "error", err, "hint", r.Hint)
		if busy(err) {
			return nil, NoRoom("limit", 5)
		}
		return nil, fmt.Errorf("%w: %w", errRefused, err)
	}
	h.journal.Add(journal.Starts, "ok", 1)
	h.journal.Observe(journal.StartSeconds, time.Since(began))
	s := newSession(h, b, who, serial, modern)
	h.journal.Add(journal.Sandboxes, s.era(), 1)
	h.journal.Log.Info("sandbox started", "id", serial, "principal", who, "era", s.era(),
		"confinement", b.report.Confinement, "pid", b.report.PID)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[s] = true
	signal(h.changed)
	go s.run()
	return s, nil
}
