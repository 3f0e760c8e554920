package relay

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// A stdinWatch lasts until the host has closed standard input, a pipe or socket, and the server has read everything.
type stdinWatch struct {
	fd      int       // standard input; -1: no pipe or socket, or not watched
	pipe    int       // reads the pipe of a relay at its end; -1: no such relay
	unread  int       // bytes that the server has not read, after the end
	changed time.Time // when unread last changed; zero: the host has not closed it

	source *loop.Source
	again  *loop.Timer
}

// open begins to watch standard input, if that is a pipe or socket which is not at its end already.
func (n *stdinWatch) open(stdin int) {
	var st unix.Stat_t
	if err := unix.Fstat(stdin, &st); err != nil {
		return
	}
	if t := st.Mode & unix.S_IFMT; t != unix.S_IFIFO && t != unix.S_IFSOCK {
		return
	}
	fds := []unix.PollFd{{Fd: int32(stdin), Events: unix.POLLRDHUP}}
	if _, err := unix.Poll(fds, 0); err != nil || fds[0].Revents != 0 {
		return
	}
	if fd, err := dup(stdin); err == nil {
		n.fd = fd
	}
}

// unreadInterval is how often to look whether the server has read what its host left behind. There is no event
// for that.
const unreadInterval = 100 * time.Millisecond

// stdinClosed ends the watch once the server has read everything. A server that reads nothing for as long as
// its grace will not read the rest either.
func (s *Streams) stdinClosed() {
	n, now := &s.stdin, time.Now()
	if n.changed.IsZero() {
		n.changed = now
		n.source.Remove() // poll would report the hang-up without end
	}
	unread := readable(n.fd)
	if s.input != nil {
		unread += s.input.unread(n.pipe)
	}
	if unread != n.unread {
		n.unread, n.changed = unread, now
	}
	if unread > 0 && now.Sub(n.changed) < s.Grace() {
		n.again.Set(now.Add(unreadInterval))
		return
	}
	unix.Close(n.fd)
	unix.Close(n.pipe)
	n.fd = -1
	s.SessionEnds()
}

// readable is how many bytes can be read from a descriptor; 0 if it cannot tell.
func readable(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ) // FIONREAD
	if err != nil {
		return 0
	}
	return n
}
