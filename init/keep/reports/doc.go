// Package reports keeps the reports of the last launches of mcp-sandbox run, for mcp-sandbox why.
//
//	fd, err := reports.Create(id, time.Now(), line) // when the server runs: nothing waits for it
//	path, err := reports.Newest()
//
// A report is a file of mode 0600 in a folder that this user alone may enter, opened as package state opens its own: no
// symbolic link is followed, and no other user can put another folder in its place. Its name is the moment of its
// making and the launch's id. Other names in the folder are left alone. A report is locked while its launcher runs, and
// is not removed then; [Kept] others are kept.
package reports

import (
	"errors"
	"slices"
	"strings"
	"time"
)

const (
	// Kept is how many reports of launches that have ended are kept.
	Kept = 20
	// MaxBytes is how long a first line may be that is kept. Later lines are bounded by package tally.
	MaxBytes = 4 << 20

	mostNames = 4096 // that are looked at
)

// ErrNone is the error of [Newest] where no report is kept.
var ErrNone = errors.New("no report is kept: mcp-sandbox run keeps one of each launch without --report")

var errLong = errors.New("the first line is too long to be kept")

const stamp, suffix = "20060102T150405.000Z", ".jsonl"

// nameOf is the name of a launch's report.
func nameOf(id string, now time.Time) string { return now.UTC().Format(stamp) + "-" + id + suffix }

// isName reports whether a name is one that nameOf made.
func isName(name string) bool {
	moment, rest, ok := strings.Cut(name, "-")
	id, whole := strings.CutSuffix(rest, suffix)
	if !ok || !whole || len(id) != 32 || strings.Trim(id, "0123456789abcdef") != "" {
		return false
	}
	_, err := time.Parse(stamp, moment)
	return err == nil
}

// An entry is a report in the folder.
type entry struct {
	name    string
	written time.Time // last
	empty   bool
}

// newest is the first of a list, the newest first, that is not empty, as after a launcher's kill before the first line.
func newest(all []entry) (name string, err error) {
	for _, e := range all {
		if !e.empty {
			return e.name, nil
		}
	}
	return "", ErrNone
}

// skew is how far the clock of another machine may be ahead that holds the folder.
const skew = time.Minute

// newestFirst sorts reports by the moment of their last line: a server that ran for days tells of its refusals at its
// end. A report of the future is of a time when the clock was wrong, and counts as the oldest: else such reports would
// be the newest for years.
func newestFirst(all []entry, now time.Time) {
	latest := now.Add(skew)
	slices.SortFunc(all, func(a, b entry) int {
		if wrong := a.written.After(latest); wrong != b.written.After(latest) {
			if wrong {
				return 1
			}
			return -1
		}
		if c := b.written.Compare(a.written); c != 0 {
			return c
		}
		return strings.Compare(b.name, a.name)
	})
}

// outdated are the reports to remove, of a list that has the newest first, so that some of launches that have ended
// stay.
func outdated(all []entry, stay int, isRunning func(name string) bool) (names []string) {
	if len(all) <= stay {
		return nil
	}
	ended := 0
	for _, e := range all {
		if isRunning(e.name) {
			continue
		}
		if ended++; ended > stay {
			names = append(names, e.name)
		}
	}
	return names
}
