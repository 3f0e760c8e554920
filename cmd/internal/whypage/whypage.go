// Package whypage lists what a launch was refused, as its report has it, for mcp-sandbox why.
//
//	r, err := readback.File("report.jsonl")
//	l := whypage.Of(r)
//	l.Show(whypage.Page{W: os.Stdout, Width: 80})
//
// Each act stands once, with how often it was refused, why, and the flag that would let it. A report may come from a
// stranger: texts are escaped and cut, and numbers of lines have bounds. Flags are those that package reportpage
// leaves.
package whypage

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/reportpage"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// mostActs is how many acts a list has. A launch tells 1,024 apart.
const mostActs = 1280

// ErrForged is the error of a report with lines or numbers that no launch writes.
var ErrForged = errors.New("the report was cut off or changed: some of its lines are no records of this launch")

// A Refusal is one act that was refused.
type Refusal struct {
	order.DeniedCount
	Name string `json:"name"` // in a few words
	Why  string `json:"why"`
}

// A List is what one launch was refused.
type List struct {
	Command []string       `json:"command"`
	ID      string         `json:"id,omitempty"`
	Time    time.Time      `json:"time,omitzero"` // of the first line
	Ended   bool           `json:"ended"`         // false: the server runs, or the report has no last line
	Refused *order.Refused `json:"refused"`       // the launch itself; nil of one that started
	Denied  []Refusal      `json:"denied"`        // the most frequent first

	more    int  // acts beyond the bound
	foreign bool // lines of the file are no records
}

// Of lists the refusals of a launch. The counts of its last line are complete; without one the records are counted.
func Of(r *reportpage.Reading) (*List, error) {
	l := &List{Refused: r.Refused, Denied: []Refusal{}, foreign: r.Foreign() > 0}
	if r.Refused != nil {
		l.ID, l.Time, l.Ended = r.Refused.ID, r.Refused.Time, true
		return l, l.whole()
	}
	l.Command, l.ID, l.Time, l.Ended = r.Enforced.Command, r.Enforced.ID, r.Enforced.Time, r.Exited != nil
	var counted []order.DeniedCount
	if r.Exited != nil {
		counted = r.Exited.Denied
	}
	l.count(counted, r.Denied)
	return l, l.whole()
}

// Denies reports whether anything was refused.
func (l *List) Denies() bool { return l.Refused != nil || len(l.Denied) > 0 }

func (l *List) whole() error {
	if l.foreign {
		return ErrForged
	}
	return nil
}

// count adds up the acts of the last line, and of the records those that are not among these.
func (l *List) count(counted []order.DeniedCount, records []order.Denied) {
	index := map[order.Act]int{}
	complete := counted != nil
	add := func(d order.DeniedCount) {
		i, known := index[d.Act]
		switch {
		case d.Count < 1 || d.Kind == "", known && d.Count > 1: // the last line has each act once
			l.foreign = true
		case known:
			l.Denied[i].Count++
		case len(l.Denied) == mostActs:
			l.more++
		default:
			index[d.Act] = len(l.Denied)
			l.Denied = append(l.Denied, Refusal{DeniedCount: d})
		}
	}
	for i := range counted {
		add(counted[i])
	}
	inLast := len(l.Denied)
	for i := range records {
		d := &records[i]
		at, known := index[d.Act]
		if known && complete && at < inLast {
			continue
		}
		add(order.DeniedCount{Act: d.Act, Flag: d.Flag, Errno: d.Errno, Count: 1})
	}
	slices.SortStableFunc(l.Denied, func(a, b Refusal) int { return cmp.Compare(b.Count, a.Count) })
	for i := range l.Denied {
		d := &l.Denied[i]
		d.Name, d.Why = notice.Act(&d.Act), notice.Reason(&d.DeniedCount)
	}
}
