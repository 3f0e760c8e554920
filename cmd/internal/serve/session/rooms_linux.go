package session

import (
	"crypto/rand"
	"strconv"
	"sync"
	"time"
)

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
	changed  chan struct{} // has an element when total or all is another
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
