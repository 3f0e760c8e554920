package report

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// mostKept is how many bytes of later lines wait for room: as many as a pipe of 64 KiB takes without a reader. A user
// with more pipes than pipe-user-pages-soft allows gets pipes of two pages (pipe(7)), which the first line alone fills.
const mostKept = 32 << 10

// Lines between the first and the last are tried again after leastPause, and ever more seldom while no reader reads.
const (
	leastPause = time.Millisecond
	mostPause  = time.Second
)

// Later writes a line between the first and the last, to the report alone; Later never waits. A line for which there is
// no room is kept for [Sink.Retry], or dropped.
func (s *Sink) Later(r order.Line) {
	if s.Report < 0 && s.keeper == nil {
		return
	}
	r.Stamp(time.Now(), s.ID)
	line := r.AppendJSON(nil)
	if s.keeper != nil {
		s.keeper.add(line)
		return
	}
	if s.kept.bytes+len(line) > mostKept {
		s.writeKept()
	}
	if s.kept.bytes+len(line) > mostKept {
		s.Dropped++
		return
	}
	s.kept.lines, s.kept.bytes, s.kept.pause = append(s.kept.lines, line), s.kept.bytes+len(line), leastPause
	s.writeKept()
}

// Retry writes the lines that Later has kept, as far as there is room. The result is when to call Retry again; zero: no
// line is kept.
func (s *Sink) Retry() time.Time {
	if s.writeKept(); len(s.kept.lines) == 0 {
		return time.Time{}
	}
	next := time.Now().Add(s.kept.pause)
	s.kept.pause = min(2*s.kept.pause, mostPause)
	return next
}

// Settle is called before [Sink.Last]: the lines kept by Later are written as far as a reader takes them in the time of
// a last line, and dropped then.
func (s *Sink) Settle() {
	for until := time.Now().Add(lastLine); len(s.kept.lines) > 0 && time.Now().Before(until); {
		if s.writeKept(); len(s.kept.lines) > 0 {
			time.Sleep(leastPause)
		}
	}
	s.Dropped += len(s.kept.lines)
	s.kept = backlog{}
	if s.keeper != nil {
		s.Dropped += s.keeper.settle()
	}
}

// writeKept writes lines for which there is room, and drops those of a report that has no reader any more.
func (s *Sink) writeKept() {
	for len(s.kept.lines) > 0 {
		line := s.kept.lines[0]
		fds := []unix.PollFd{{Fd: int32(s.Report), Events: unix.POLLOUT}}
		if n, err := unix.Poll(fds, 0); n == 0 || err == unix.EINTR {
			return
		}
		if fds[0].Revents != unix.POLLOUT {
			s.Dropped++
		} else if !roomForLast(s.Report, len(line)) {
			return
		} else if n, err := platform.WriteNow(s.Report, line); err == unix.EAGAIN {
			return
		} else if n != len(line) || err != nil {
			s.Dropped++
		}
		s.kept.lines, s.kept.bytes = s.kept.lines[1:], s.kept.bytes-len(line)
	}
}

// TellHost writes a line between the first and the last to the host, if there is room for it; TellHost never waits.
// Half of the socket stays free for the last line, for a stopped host reads nothing. SIOCOUTQ counts as SO_SNDBUF does;
// unix(7).
func (s *Sink) TellHost(r order.Line) {
	if s.Give != nil {
		r.Stamp(time.Now(), s.ID)
		s.Give(r.AppendJSON(nil))
	}
	if s.Host < 0 {
		return
	}
	size, err := unix.GetsockoptInt(s.Host, unix.SOL_SOCKET, unix.SO_SNDBUF)
	if err != nil {
		return
	}
	if inside, err := unix.IoctlGetInt(s.Host, unix.SIOCOUTQ); err != nil || inside > size/2 {
		return
	}
	r.Stamp(time.Now(), s.ID)
	platform.WriteNow(s.Host, r.AppendJSON(nil))
}

// roomForLast reports whether a pipe has room for the last line behind one of n bytes: half of it. A pipe that is read
// is nearly empty. Others than pipes have more room, or all that they need (F_GETPIPE_SZ of fcntl(2), FIONREAD of
// pipe(7)).
func roomForLast(fd, n int) bool {
	size, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		return true
	}
	inside, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return err != nil || inside+n <= size/2
}

// settle is the number of lines that were dropped, once all others are written or the time of a last line is over.
func (k *keeper) settle() int {
	for until := time.Now().Add(lastLine); k.pending.Load() > 0 && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
	return int(k.dropped.Swap(0))
}
