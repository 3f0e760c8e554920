package egress

import (
	"errors"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
)

const (
	leastKept = 30 * time.Second // an answer of the host's resolver is kept so long: look-ups are a channel
	longest   = time.Hour        // and no longer, whatever the owner of a name says
	failKept  = time.Second      // a failure is temporary, and asked again soon
	mostKept  = 8192             // answers

	// mostWaiters wait for answers at once: all questions and connections that there can be, and connections that have
	// gone since, which a server makes as fast as it likes.
	mostWaiters = 8 << 10
)

var errWaiters = errors.New("too many look-ups at once")

// lookups asks the host's resolver once for all callers with the same question, and keeps the answers.
type lookups struct {
	resolver *resolve.Resolver
	kept     map[resolve.Query]*lookup
	waiting  int // callers of all look-ups
	meants   tally.Bucket
}

type lookup struct {
	answer  resolve.Answer
	until   time.Time
	busy    bool
	waiting []func(resolve.Answer)
}

func newLookups(r *resolve.Resolver) lookups {
	return lookups{resolver: r, kept: map[resolve.Query]*lookup{}}
}

// keeps is how long an answer is kept.
func keeps(a *resolve.Answer) time.Duration {
	if a.Code == resolve.Failed {
		return failKept
	}
	return min(max(a.TTL, leastKept), longest)
}

// get calls done with the answer, at once if it is known.
func (l *lookups) get(q resolve.Query, done func(resolve.Answer)) {
	now := time.Now()
	x := l.kept[q]
	switch {
	case l.waiting >= mostWaiters && (x == nil || x.busy || !now.Before(x.until)):
		done(resolve.Answer{Err: errWaiters})
		return
	case x == nil:
		if len(l.kept) >= mostKept {
			l.forget(now)
		}
		x = &lookup{}
		l.kept[q] = x
	case x.busy:
		x.waiting = append(x.waiting, done)
		l.waiting++
		return
	case now.Before(x.until):
		done(x.answer)
		return
	}
	x.busy, x.waiting = true, append(x.waiting, done)
	l.waiting++
	l.resolver.Lookup(q, func(a resolve.Answer) {
		waiting := x.waiting
		l.waiting -= len(waiting)
		x.answer, x.until, x.busy, x.waiting = a, time.Now().Add(keeps(&a)), false, nil
		for _, done := range waiting {
			done(a)
		}
	})
}

// forget makes room: expired answers go, and if that frees nothing, all that no caller waits for.
func (l *lookups) forget(now time.Time) {
	for _, over := range [...]func(*lookup) bool{
		func(x *lookup) bool { return !now.Before(x.until) },
		func(*lookup) bool { return true },
	} {
		for q, x := range l.kept {
			if !x.busy && over(x) {
				delete(l.kept, q)
			}
		}
		if len(l.kept) < mostKept {
			return
		}
	}
}
