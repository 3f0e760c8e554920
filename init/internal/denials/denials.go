// Package denials counts the system calls that a filter refused and decides what is told of them, and how fast.
//
//	if t.Answers(now) {                // else let them wait: they cost nobody's time but their own
//		told := t.Tells(number, now)
//		… // answer it
//		t.Count(number, told)
//	}
//
// A server chooses how often it makes a call that is refused. So each number here has a bound that no server can move: how
// many calls a second take the launcher's time, and how many lines a report has. The zero Tally is ready. Pure.
package denials

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

const (
	// Of the calls that wait for an answer so many are answered at once, and then so many a second. One was measured to
	// take 27 µs of the launcher's time where processors have to be woken, so no server takes more than 2 % of one.
	answersAtOnce    = 1000
	answersPerSecond = 500

	// Pause is how long to let calls wait that are too many.
	Pause = 10 * time.Millisecond

	// The first call of each name has a line of its own. Of the others there are so many lines at once, then one a second,
	// and no more in all: a report of which nobody reads a line before the server has ended still fits into a pipe.
	linesAtOnce    = 32
	linesPerSecond = 1
	linesInAll     = 200
)

// A Tally is what one launch counts.
type Tally struct {
	calls   []call
	answers bucket
	lines   bucket
	told    int
	dropped int64
}

type call struct {
	number uint32
	count  int64
}

// Answers reports whether another call may be answered now.
func (t *Tally) Answers(now time.Time) bool {
	return t.answers.take(now, time.Second/answersPerSecond, answersAtOnce)
}

// Tells reports whether a call is told by a line of the report.
func (t *Tally) Tells(number uint32, now time.Time) bool {
	if t.find(number) == nil {
		return true
	}
	if t.told < linesInAll && t.lines.take(now, time.Second/linesPerSecond, linesAtOnce) {
		t.told++
		return true
	}
	return false
}

// Count counts a call that was refused, and whether it was told.
func (t *Tally) Count(number uint32, told bool) {
	if !told {
		t.dropped++
	}
	if c := t.find(number); c != nil {
		c.count++
		return
	}
	t.calls = append(t.calls, call{number, 1}) // as many as the filter asks about, at most
}

func (t *Tally) find(number uint32) *call {
	for i := range t.calls {
		if t.calls[i].number == number {
			return &t.calls[i]
		}
	}
	return nil
}

// Dropped is how many calls were not told.
func (t *Tally) Dropped() int64 { return t.dropped }

// Calls are those that were counted, the most frequent first; of the same frequency the one that came first.
func (t *Tally) Calls(name func(number uint32) string) []order.DeniedCalls {
	all := slices.Clone(t.calls)
	slices.SortStableFunc(all, func(a, b call) int {
		switch {
		case a.count > b.count:
			return -1
		case a.count < b.count:
			return 1
		}
		return 0
	})
	var calls []order.DeniedCalls
	for _, c := range all {
		calls = append(calls, order.DeniedCalls{Syscall: name(c.number), Count: c.count})
	}
	return calls
}

// Summary is the one line on standard error, or "" if there is nothing to say.
func Summary(calls []order.DeniedCalls) string {
	if len(calls) == 0 {
		return ""
	}
	var text []string
	for _, c := range calls {
		text = append(text, c.Syscall+" "+strconv.FormatInt(c.Count, 10))
	}
	return "denied system calls: " + strings.Join(text, ", ")
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
