package supervise

import (
	"errors"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/order"
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
		if err := writeUntil(fd, line, until); err != nil {
			return &rows.Refusal{Layer: order.Exec, Op: "write the report", Err: err}
		}
	}
	return nil
}

// last writes the closing line. It waits no longer than a moment: nobody may keep a launcher from ending.
func (s *sink) last(r order.Record) {
	line := r.AppendJSON(nil)
	for _, fd := range []int{s.report, s.host} {
		if fd >= 0 && writeUntil(fd, line, time.Now().Add(100*time.Millisecond)) != nil {
			s.dropped++
		}
	}
}

// writeUntil writes all of b before a moment, whether the descriptor blocks or not: it is only written to when poll
// says that it takes something, and a pipe then takes at least PIPE_BUF bytes; pipe(7).
func writeUntil(fd int, b []byte, until time.Time) error {
	var st unix.Stat_t
	chunk := len(b)
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO {
		chunk = 4096
	}
	for len(b) > 0 {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		left := time.Until(until)
		if left <= 0 {
			return errors.New("nobody reads it")
		}
		n, err := unix.Poll(fds, int(left/time.Millisecond)+1)
		if err != nil && err != unix.EINTR {
			return err
		}
		if n <= 0 {
			continue
		}
		n, err = unix.Write(fd, b[:min(len(b), chunk)])
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
