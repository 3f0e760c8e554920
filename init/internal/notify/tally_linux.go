package notify

import (
	"cmp"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

const (
	// The rate of answers: answersAtOnce, then answersPerSecond. An answer takes 27 µs of the launcher's processor time
	// where a processor has to be woken, so the answers take at most 2 % of a processor.
	answersAtOnce    = 1000
	answersPerSecond = 500

	// Pause is how long calls above the rate wait.
	Pause = 10 * time.Millisecond

	// The first call of each name has a line in the report. For the others: linesAtOnce, then linesPerSecond, and
	// linesInAll at most. So a report fits into a pipe whose reader reads after the server's end.
	linesAtOnce    = 32
	linesPerSecond = 1
	linesInAll     = 200
)

// A tally counts the refused calls of one launch, and decides how fast they are answered and which have a line in the
// report. A server chooses how often it makes a refused call, so each number here is bounded. The zero tally is ready.
type tally struct {
	counts     []count // one for each name at most
	answerRate bucket
	lineRate   bucket
	lines      int   // beyond the first of each name
	dropped    int64 // calls without one
}

type count struct {
	number uint32
	calls  int64
}

// takeAnswer reports whether another call may be answered now, and uses up an answer of the rate then.
func (t *tally) takeAnswer(now time.Time) bool {
	return t.answerRate.take(now, time.Second/answersPerSecond, answersAtOnce)
}

// takeLine reports whether a call gets a line in the report, and uses up a line of the rate then.
func (t *tally) takeLine(number uint32, now time.Time) bool {
	if t.find(number) < 0 {
		return true
	}
	if t.lines < linesInAll && t.lineRate.take(now, time.Second/linesPerSecond, linesAtOnce) {
		t.lines++
		return true
	}
	return false
}

// count counts a call that was refused, and whether the call has a line.
func (t *tally) count(number uint32, line bool) {
	if !line {
		t.dropped++
	}
	i := t.find(number)
	if i < 0 {
		i = len(t.counts)
		t.counts = append(t.counts, count{number: number})
	}
	t.counts[i].calls++
}

func (t *tally) find(number uint32) int {
	return slices.IndexFunc(t.counts, func(c count) bool { return c.number == number })
}

// list are those that were counted, the most frequent first; of the same frequency the one that came first.
func (t *tally) list(name func(number uint32) string) []order.DeniedCalls {
	all := slices.Clone(t.counts)
	slices.SortStableFunc(all, func(a, b count) int { return cmp.Compare(b.calls, a.calls) })
	var calls []order.DeniedCalls
	for _, c := range all {
		calls = append(calls, order.DeniedCalls{Syscall: name(c.number), Count: c.calls})
	}
	return calls
}

// A bucket is full at first, and fills by one each interval.
type bucket struct{ empty time.Time } // when it was last empty, had it been filled since without pause

func (b *bucket) take(now time.Time, interval time.Duration, size int) bool {
	if full := now.Add(-time.Duration(size) * interval); b.empty.Before(full) {
		b.empty = full
	}
	if next := b.empty.Add(interval); !next.After(now) {
		b.empty = next
		return true
	}
	return false
}
