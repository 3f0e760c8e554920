package report

import (
	"sync/atomic"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/reports"
)

const (
	// keepTime is how long the end of a launch waits for the file of the kept report, in all.
	keepTime = time.Second
	// mostQueued is how many lines wait to be written: more than a launch has between the first and the last.
	mostQueued = 512
)

// A keeper writes the report that mcp-sandbox why reads, in a goroutine of its own: a file system that does not answer
// may hold that goroutine, and never the launch.
type keeper struct {
	lines   chan []byte
	made    chan struct{} // closed when create has returned
	done    chan struct{} // closed when all is written
	isMade  bool          // there is a file; set before made is closed
	pending atomic.Int64  // lines that are not written yet
	dropped atomic.Int64  // lines that found no room
	gaveUp  bool          // keepTime is over
}

// newKeeper begins with create, which makes the file of a report with its first line.
func newKeeper(create func() (fd int, err error)) *keeper {
	k := &keeper{lines: make(chan []byte, mostQueued), made: make(chan struct{}), done: make(chan struct{})}
	go k.write(create)
	return k
}

func (k *keeper) write(create func() (fd int, err error)) {
	defer close(k.done)
	fd, err := create()
	k.isMade = err == nil
	close(k.made)
	for line := range k.lines {
		if k.isMade && reports.Append(fd, line) != nil {
			k.dropped.Add(1)
		}
		k.pending.Add(-1)
	}
	if k.isMade {
		reports.Close(fd)
	}
}

// add hands a line over; add never waits.
func (k *keeper) add(line []byte) {
	k.pending.Add(1)
	select {
	case k.lines <- line:
	default:
		k.pending.Add(-1)
		k.dropped.Add(1)
	}
}

// within waits for a channel to be closed, for as long as the end of a launch may wait, and reports whether the channel
// is.
func (k *keeper) within(c chan struct{}) bool {
	left := keepTime
	if k.gaveUp {
		left = 0
	}
	late := time.NewTimer(left)
	defer late.Stop()
	select {
	case <-c:
		return true
	case <-late.C:
		k.gaveUp = true
		return false
	}
}

// hasFile reports whether there is a file with the report.
func (k *keeper) hasFile() bool { return k.within(k.made) && k.isMade }

// end has the file closed once all lines are written. No line follows.
func (k *keeper) end() {
	close(k.lines)
	k.within(k.done)
}
