//go:build darwin || linux

package platform

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// WriteUntil writes all of b before a moment, whether the descriptor blocks or not: it is only written to when poll
// says that it takes something, a pipe then takes at least PIPE_BUF bytes (pipe(7)), and a socket is asked not to
// wait. A message socket gets several messages.
func WriteUntil(fd int, b []byte, until time.Time) error {
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
		switch n, err = writeSome(fd, b); {
		case err == unix.EINTR || err == unix.EAGAIN:
			if left <= 0 {
				return errors.New("nobody reads it")
			}
		case err != nil:
			return err
		case n == 0: // as some files of /proc answer, for ever
			return io.ErrShortWrite
		default:
			b = b[n:]
		}
	}
	return nil
}

const (
	pipePiece   = 4096     // PIPE_BUF
	socketPiece = 16 << 10 // a message that every reader has room for
)

// writeSome writes a part of b, without waiting where that can be had.
func writeSome(fd int, b []byte) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	piece := pipePiece
	if st.Mode&unix.S_IFMT == unix.S_IFSOCK {
		piece = socketPiece
	}
	return WriteNow(fd, b[:min(len(b), piece)])
}
