// Package session has the sandboxes of all clients: which there are, what is in flight in each, and where a server's
// messages go.
//
//	h := session.New(limits, log, specify)
//	s, answer, err := h.Initialize(ctx, principal, message) // a client up to 2025-11-25: a sandbox of its own
//	s, err := h.Modern(ctx, principal)                      // from 2026-07-28 on: one for the principal
//	call, err := s.Call(ctx, message)
//
// A session belongs to its principal. What waits for clients is bounded in bytes, what waits for a server
// stays with the goroutine of its request.
package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
)

// Limits are how much there may be of everything, and how long it may last.
type Limits struct {
	Sandboxes, PerPrincipal, Requests int
	Idle, IdleOpen                    time.Duration
	Start                             time.Duration // until the answer to initialize
	DrainDelay, Drain                 time.Duration
	Waits
}

// Waits are limits without a flag. Alone is how late an answer may come alone; later it is a stream's. Last is how long
// clients may take at least for the last answers, behind the drain.
type Waits struct{ Slow, Cancelled, Discover, Sweep, Alone, Last time.Duration }

// Usual are the limits without flags.
func Usual() Limits {
	return Limits{Sandboxes: 100, PerPrincipal: 8, Requests: 64, Idle: 15 * time.Minute, IdleOpen: 12 * time.Hour,
		Start: time.Minute, DrainDelay: 5 * time.Second, Drain: time.Minute,
		Waits: Waits{Slow: 30 * time.Second, Cancelled: 3 * time.Second, Discover: 3 * time.Second,
			Sweep: time.Second, Alone: 250 * time.Millisecond, Last: 5 * time.Second}}
}

// A Specify is the server of a principal, to start. The serial names it in the log.
type Specify func(who, serial string) (Spec, error)

// A House has all sessions.
type House struct {
	journal *journal.Journal
	specify Specify
	era     atomic.Value // a string
	rooms
}

// New makes a house without sessions.
func New(l Limits, j *journal.Journal, specify Specify) *House {
	h := &House{journal: j, specify: specify, rooms: rooms{limits: l, legacy: map[string]*Session{},
		modern: map[string]*place{}, all: map[*Session]bool{}, taken: map[string]int{}, crashes: map[string]crashes{},
		changed: make(chan struct{}, 1)}}
	h.era.Store(UnknownServer)
	return h
}

// start starts a sandbox in which nothing is in flight yet.
func (h *House) start(ctx context.Context, who string, modern bool) (*Session, error) {
	serial, err := h.reserve(who)
	for no := (*Refusal)(nil); errors.As(err, &no) && no.Reason == "principal-limit" && h.makeRoom(ctx, who); {
		serial, err = h.reserve(who)
	}
	if err != nil {
		return nil, err
	}
	began := time.Now()
	spec, err := h.specify(who, serial)
	var b *box
	var report *launcher.Report
	if err == nil {
		b, report, err = open(ctx, spec)
	}
	if err != nil {
		h.vacate(who)
		h.journal.Add(journal.Starts, "refused", 1)
		var r *order.Refusal
		if !errors.As(err, &r) {
			r = &order.Refusal{Layer: order.Exec}
		}
		if who != "" { // of the trial serve's last line tells
			h.journal.Log.Error("sandbox refused", "id", serial, "principal", who, "layer", r.Layer, "error", err,
				"hint", r.Hint)
		}
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
		"confinement", report.Confinement, "pid", report.PID)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[s] = true
	signal(h.changed)
	h.runs.Go(s.run)
	return s, nil
}

// rooms are the sandboxes that there are, and those that are being started.
type rooms struct {
	limits Limits

	mu       sync.Mutex
	legacy   map[string]*Session // by id
	modern   map[string]*place   // by principal
	all      map[*Session]bool
	taken    map[string]int // sandboxes of each principal, those that start or end too
	total    int
	serial   int
	crashes  map[string]crashes
	draining bool
	changed  chan struct{}  // has an element when total or all is another
	runs     sync.WaitGroup // of all
}

// crashes are ends of a principal's server soon after its start.
type crashes struct {
	n     int
	until time.Time // no start before
}

// reserve takes a place for a sandbox, or says which limit there is.
func (h *rooms) reserve(who string) (serial string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.crashes[who]
	switch wait := time.Until(c.until); {
	case h.draining:
		return "", NoRoom("drain", 5)
	case wait > 0:
		return "", NoRoom("crash-loop", int(wait/time.Second)+1)
	case h.taken[who] >= h.limits.PerPrincipal:
		return "", NoRoom("principal-limit", 5)
	case h.total >= h.limits.Sandboxes:
		return "", NoRoom("limit", 5)
	}
	h.taken[who]++
	h.total++
	h.serial++
	return strconv.Itoa(h.serial), nil
}

func (h *rooms) vacate(who string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken[who]--; h.taken[who] == 0 {
		delete(h.taken, who)
	}
	h.total--
	signal(h.changed)
}

// forget lets no more requests find a session.
func (h *rooms) forget(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.legacy, s.ID)
	if p := h.modern[s.Who]; p != nil && p.session == s {
		delete(h.modern, s.Who)
	}
}

// The third end within so short a time after a start makes the next start wait.
const (
	crashesAllowed = 3
	soon           = 10 * time.Second
)

// gone notes the end of a session of which nothing is left.
func (h *rooms) gone(s *Session) {
	h.mu.Lock()
	delete(h.all, s)
	if c := h.crashes[s.Who]; s.Modern && s.box.why == "" && s.box.lived < soon {
		c.until = time.Now()
		if c.n++; c.n >= crashesAllowed {
			c.until = c.until.Add(min(time.Minute, time.Second<<min(c.n-crashesAllowed, 6)))
		}
		h.crashes[s.Who] = c
	} else if s.Modern {
		delete(h.crashes, s.Who)
	}
	h.mu.Unlock()
	h.vacate(s.Who)
}

// Find is the legacy session of an id, if it is this principal's.
func (h *rooms) Find(id, who string) *Session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.legacy[id]; s != nil && s.Who == who {
		return s
	}
	return nil
}

// register gives a session its id, and reports whether it still lives.
func (h *rooms) register(s *Session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if isClosed(s.box.asked) {
		return false
	}
	s.ID = rand.Text()
	h.legacy[s.ID] = s
	return true
}
