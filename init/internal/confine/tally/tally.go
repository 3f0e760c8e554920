// Package tally counts the refusals of one server, and decides which of them have a line in the report.
//
// A server chooses how often it is refused, and with which names. So each number here is bounded: how many lines there
// are, and how many acts are told apart.
package tally

import (
	"cmp"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

const (
	// The first refusal of each act has a line in the report. For the others, and for the first ones beyond ActsAtOnce:
	// LinesAtOnce, then LinesPerSecond. LinesInAll and those of ActsAtOnce at most: so a report fits into a pipe that
	// is read after the server's end.
	LinesAtOnce    = 32
	LinesPerSecond = 1
	LinesInAll     = 200

	// ActsAtOnce is how many acts have a line at their first refusal, whatever the rate.
	ActsAtOnce = 56

	// mostActs is how many acts are told apart. Refusals of further ones are counted in Dropped alone.
	mostActs = 1024

	// ListBytes is the most bytes of the texts in the last line's list: a server that looks up names of 253 bytes would
	// else make a line that no pipe holds, and its host would not learn how the server ended.
	ListBytes   = 16 << 10
	memberBytes = 64 // of one act beside its texts
)

// A Tally counts the refusals of one launch, whatever refused them. The zero Tally is ready, and reports nothing.
type Tally struct {
	Report  func(*order.Denied) // gets each refusal that has a line
	Dropped int64               // refusals without one

	counts []order.DeniedCount // in the order of their first refusal
	index  map[order.Act]int
	rate   Bucket
	lines  int // beyond the first ones
	firsts int
}

// Refuse counts a refusal, and reports the first of each act alone, for programs try again and again.
func (t *Tally) Refuse(d *order.Denied, now time.Time) {
	if i, known := t.index[d.Act]; known {
		t.counts[i].Count++
		return
	}
	line := t.TakeLine(d.Act, now)
	t.Count(d, line)
	if line && t.Report != nil {
		t.Report(d)
	}
}

// TakeLine reports whether a refusal gets a line in the report, and uses up a line then. [Tally.Count] comes after it.
func (t *Tally) TakeLine(act order.Act, now time.Time) bool {
	if _, known := t.index[act]; !known && t.firsts < ActsAtOnce {
		t.firsts++
		return true
	}
	if t.lines < LinesInAll && t.rate.Take(now, time.Second/LinesPerSecond, LinesAtOnce) {
		t.lines++
		return true
	}
	return false
}

// Count counts a refusal, and whether it has a line.
func (t *Tally) Count(d *order.Denied, line bool) {
	if !line {
		t.Dropped++
	}
	t.Add(d, 1)
}

// Uncount takes the last Count of an act back, whose call was interrupted.
func (t *Tally) Uncount(d *order.Denied, line bool) {
	if !line {
		t.Dropped--
	}
	t.Add(d, -1)
}

// Add counts n refusals of one act, and no line.
func (t *Tally) Add(d *order.Denied, n int64) {
	i, known := t.index[d.Act]
	if !known {
		if len(t.counts) == mostActs {
			return
		}
		if t.index == nil {
			t.index = map[order.Act]int{}
		}
		i = len(t.counts)
		t.index[d.Act] = i
		t.counts = append(t.counts, order.DeniedCount{Act: d.Act, Flag: d.Flag, Errno: d.Errno})
	}
	t.counts[i].Count += n
}

// List are those that were counted, the most frequent first; of the same frequency the one that came first. Those that
// ListBytes have no room for are left out.
func (t *Tally) List() []order.DeniedCount {
	none := func(d order.DeniedCount) bool { return d.Count == 0 }
	all := slices.DeleteFunc(slices.Clone(t.counts), none)
	slices.SortStableFunc(all, func(a, b order.DeniedCount) int { return cmp.Compare(b.Count, a.Count) })
	left := ListBytes
	for i := range all {
		a := &all[i].Act
		left -= memberBytes + len(a.Kind) + len(a.Syscall) + len(a.Host) + len(a.Address) + len(a.Asked) + len(a.Path) +
			len(all[i].Flag) + len(all[i].Errno)
		if left < 0 {
			return all[:i]
		}
	}
	return all
}

// A Bucket is full at first, and fills by one each interval.
type Bucket struct{ empty time.Time } // when it was last empty, had it been filled since without pause

// Take takes one out of a bucket of that size, or reports that the bucket is empty.
func (b *Bucket) Take(now time.Time, interval time.Duration, size int) bool {
	if full := now.Add(-time.Duration(size) * interval); b.empty.Before(full) {
		b.empty = full
	}
	if next := b.empty.Add(interval); !next.After(now) {
		b.empty = next
		return true
	}
	return false
}
