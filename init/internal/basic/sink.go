package basic

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

const (
	// firstLine is how long the first line of a report may take to be written.
	firstLine = 5 * time.Second
	// lastLine is the same for the last: nobody may keep a launcher from ending.
	lastLine = 100 * time.Millisecond
)

// A sink takes the report: to the descriptor that the user named and to the host, each if it is not negative.
type sink struct{ report, host int }

func (s *sink) write(r order.Record, within time.Duration) error {
	line := r.AppendJSON(make([]byte, 0, 8<<10))
	until := time.Now().Add(within)
	var first error
	for _, fd := range [...]int{s.report, s.host} {
		if fd < 0 {
			continue
		}
		if err := platform.WriteUntil(fd, line, until); err != nil && first == nil {
			first = &order.Refusal{Layer: order.Exec, Op: "write the report", Err: err}
		}
	}
	return first
}

// first writes the line without which no server is released.
func (s *sink) first(r order.Record) error { return s.write(r, firstLine) }

// last writes the closing line, if somebody reads it.
func (s *sink) last(r order.Record) {
	if s.write(r, lastLine) != nil {
		return // there is nobody left to tell
	}
}
