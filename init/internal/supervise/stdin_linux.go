package supervise

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// stdin is what is known of the session between host and server.
type stdin struct {
	fd     int       // watched for its end; -1 if that is no session, or seen already
	ended  int       // the same descriptor after its end
	rest   int       // reads the pipe of a relay that has come to its end; -1 if there is none
	unread int       // bytes that the server has not read
	since  time.Time // when that number last changed

	again *loop.Timer // when to look at that number again
}

// session returns a descriptor on which the end of standard input can be seen, or -1 if that is no session: if the policy
// says so, if it is neither pipe nor socket, or if it is at its end already.
func session(p *policy.Policy) int {
	if p.OnStdinClose != policy.Terminate {
		return -1
	}
	var st unix.Stat_t
	if err := unix.Fstat(0, &st); err != nil {
		return -1
	}
	if t := st.Mode & unix.S_IFMT; t != unix.S_IFIFO && t != unix.S_IFSOCK {
		return -1
	}
	fds := []unix.PollFd{{Fd: 0, Events: unix.POLLRDHUP}}
	if _, err := unix.Poll(fds, 0); err != nil || fds[0].Revents != 0 {
		return -1
	}
	fd, err := unix.FcntlInt(0, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return -1
	}
	return fd
}

// again is how long to wait for the server to read what its host left behind. There is no event for that.
const again = 100 * time.Millisecond

// stdinClosed begins the end of a server whose host has closed the session, once everything is read; a server that
// reads nothing for as long as its grace will not read the rest either.
func (s *shim) stdinClosed() {
	in, now := &s.stdin, time.Now()
	if in.fd >= 0 {
		in.ended, in.fd = in.fd, -1 // poll would report the hang-up without end
		in.since = now
		s.sources.stdin.Remove()
	}
	n := waiting(in.ended)
	if s.stdio.input != nil {
		n += s.stdio.input.unread(in.rest)
	}
	if n != in.unread {
		in.unread, in.since = n, now
	}
	if n > 0 && now.Sub(in.since) < s.end.Grace(ending.Grace) {
		in.again.Set(now.Add(again))
		return
	}
	unix.Close(in.ended)
	unix.Close(in.rest)
	s.end.SessionEnds()
}

// waiting is how many bytes can be read of a descriptor; none if nobody can say.
func waiting(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ) // FIONREAD
	if err != nil {
		return 0
	}
	return n
}
