//go:build darwin || linux

package platform

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// WriteUntil writes all of b before a moment, whether the descriptor blocks or not: it is only written to when poll
// says that it takes something, and a pipe then takes at least PIPE_BUF bytes; pipe(7).
func WriteUntil(fd int, b []byte, until time.Time) error {
	var st unix.Stat_t
	chunk := len(b)
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO {
		chunk = 4096
	}
	for len(b) > 0 {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
		left := time.Until(until) // on a busy machine nothing may be left before the first try
		n, err := unix.Poll(fds, int(max(left, 0)/time.Millisecond)+1)
		if err != nil && err != unix.EINTR {
			return err
		}
		if n == 0 && left <= 0 {
			return errors.New("nobody reads it")
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
