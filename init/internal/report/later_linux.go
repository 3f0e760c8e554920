package report

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Later writes a line between the first and the last, to the report alone, if there is room for it; Later never waits.
// A host that reads only at the end would find its socket full, and the last line must fit.
func (s *Sink) Later(r order.Line) {
	if s.Report < 0 {
		return
	}
	fds := []unix.PollFd{{Fd: int32(s.Report), Events: unix.POLLOUT}}
	if n, err := unix.Poll(fds, 0); n != 1 || err != nil || fds[0].Revents != unix.POLLOUT {
		s.Dropped++
		return
	}
	r.Stamp(time.Now(), s.ID)
	line := r.AppendJSON(nil)
	if !roomForLast(s.Report, len(line)) {
		s.Dropped++
		return
	}
	if n, err := platform.WriteNow(s.Report, line); n != len(line) || err != nil {
		s.Dropped++
	}
}

// roomForLast reports whether a pipe has room for the last line behind one of n bytes: half of it. Where somebody reads
// there is nearly nothing inside. Others than pipes have more room, or all that they need (F_GETPIPE_SZ of fcntl(2),
// FIONREAD of pipe(7)).
func roomForLast(fd, n int) bool {
	size, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		return true
	}
	inside, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return err != nil || inside+n <= size/2
}
