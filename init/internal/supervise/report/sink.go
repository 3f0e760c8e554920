package report

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/reports"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

const (
	// firstLine is the time for the first line of a report to be written.
	firstLine = 5 * time.Second
	// lastLine is the time for the last line: no reader may keep a launcher from ending.
	lastLine = 100 * time.Millisecond
)

// A Sink takes the report: to the descriptor that the user named and to the host's channel, each if it is not negative.
type Sink struct {
	Report, Host int
	ID           string // of the launch; the first line chooses one where there is none
	Dropped      int    // later lines that found no room

	Give func(line []byte) // takes the lines for a host in this process; nil: there is none

	kept   backlog
	keeper *keeper // of the report that Keep makes
}

// A backlog is later lines that have found no room yet. The zero backlog is empty.
type backlog struct {
	lines [][]byte
	bytes int
	pause time.Duration // before the next try
}

// First writes the line without which no server is released.
func (s *Sink) First(r order.Line) error {
	line, until := s.line(r), time.Now().Add(firstLine)
	for _, fd := range [...]int{s.Report, s.Host} {
		if err := write(fd, line, until); err != nil {
			return &order.Refusal{Layer: order.Exec, Op: "write the report", Err: err}
		}
	}
	s.give(line)
	return nil
}

// Last writes the closing line, as far as a reader takes it.
func (s *Sink) Last(r order.Line) {
	line := s.line(r)
	for _, fd := range [...]int{s.Report, s.Host} {
		write(fd, line, time.Now().Add(lastLine))
	}
	s.give(line)
	if s.keeper != nil {
		s.keeper.add(line)
		s.keeper.end()
	}
}

// Keep makes the report that mcp-sandbox why reads, where no descriptor takes one, with its first line. Nothing depends
// on that report, so it is made when nothing waits: once the server runs, or was refused. [Sink.Last] ends it.
func (s *Sink) Keep(first order.Line) {
	if s.Report >= 0 || s.keeper != nil {
		return
	}
	id, text := s.stamp(first), first.AppendJSON(nil)
	s.keeper = newKeeper(func() (int, error) { return reports.Create(id, time.Now(), text) })
}

// KeepOnly is Keep of a report of one line.
func (s *Sink) KeepOnly(r order.Line) {
	if s.Keep(r); s.keeper != nil {
		s.keeper.end()
	}
}

// Kept reports whether mcp-sandbox why has this report. Kept waits for the file to be made, for a bounded time.
func (s *Sink) Kept() bool { return s.keeper != nil && s.keeper.hasFile() }

// NotifyHost writes to the host alone a record that no report has. Nothing depends on it.
func (s *Sink) NotifyHost(r order.Record) {
	if s.Host >= 0 {
		write(s.Host, r.AppendJSON(nil), time.Now().Add(firstLine))
	}
}

func (s *Sink) give(line []byte) {
	if s.Give != nil {
		s.Give(line)
	}
}

// line is a record's, as of now, if there is a descriptor for it.
func (s *Sink) line(r order.Line) []byte {
	if s.Report < 0 && s.Host < 0 && s.keeper == nil && s.Give == nil {
		return nil
	}
	s.stamp(r)
	return r.AppendJSON(make([]byte, 0, 16<<10))
}

// stamp gives a record the time and the launch's id, which it returns.
func (s *Sink) stamp(r order.Line) string {
	if s.ID == "" {
		s.ID = order.NewID()
	}
	r.Stamp(time.Now(), s.ID)
	return s.ID
}

func write(fd int, line []byte, until time.Time) error {
	if fd < 0 {
		return nil
	}
	return platform.WriteUntil(fd, line, until)
}
