package launcher

import (
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Follow shuts the socket down once the shim has ended. Earlier records are read first. The shim is not reaped
// yet, so the pid is not reused.
func (s socket) Follow(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // then the end of the shim's end of the socket is all there is
	}
	s.follow(fd)
}

// follow is Follow of a pidfd, which it owns.
func (s socket) follow(fd int) {
	_, _ = platform.Polled(fd, "shim", func() (done bool) {
		defer func() { // the end of the shim's end of the socket tells as much
			if recover() != nil {
				done = true
			}
		}()
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, err := unix.Poll(fds, 0); n <= 0 || err != nil {
			return false
		}
		s.shutdown(unix.SHUT_RDWR)
		return true
	})
}
