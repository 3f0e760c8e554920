package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// firstLine is how long the first line of a report may take to be written.
const firstLine = 5 * time.Second

// A sink takes the report: to the descriptor that the user named and to the host's socket, each if it is not negative.
type sink struct {
	report, host int
	dropped      int // later lines that found no room
}

// first writes the line without which no server is released.
func (s *sink) first(r order.Record) error {
	if s.report < 0 && s.host < 0 {
		return nil
	}
	line := r.AppendJSON(make([]byte, 0, 16<<10))
	until := time.Now().Add(firstLine)
	for _, fd := range []int{s.report, s.host} {
		if fd < 0 {
			continue
		}
		if err := platform.WriteUntil(fd, line, until); err != nil {
			return &rows.Refusal{Layer: order.Exec, Op: "write the report", Err: err}
		}
	}
	return nil
}

// last writes the closing line. It waits no longer than a moment: nobody may keep a launcher from ending.
func (s *sink) last(r order.Record) {
	line := r.AppendJSON(nil)
	for _, fd := range []int{s.report, s.host} {
		if fd >= 0 && platform.WriteUntil(fd, line, time.Now().Add(100*time.Millisecond)) != nil {
			s.dropped++
		}
	}
}
