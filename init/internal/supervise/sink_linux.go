package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
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

// later writes a line between the first and the last, to the report alone, if there is room for it: of a small write to
// what poll says takes one none waits. A host's socket holds what nobody reads until the end, and the last line must fit.
func (s *sink) later(r order.Record) {
	if s.report < 0 {
		return
	}
	fds := []unix.PollFd{{Fd: int32(s.report), Events: unix.POLLOUT}}
	if n, err := unix.Poll(fds, 0); n != 1 || err != nil || fds[0].Revents != unix.POLLOUT {
		s.dropped++
		return
	}
	line := r.AppendJSON(nil)
	if n, err := unix.Write(s.report, line); n != len(line) || err != nil {
		s.dropped++
	}
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
