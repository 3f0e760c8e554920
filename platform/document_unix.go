//go:build darwin || linux

package platform

// This file: documents that are read, and texts that are written, in bounded time.

import (
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// Inherited is an error unless the caller of this program handed fd over, for reading or for writing.
// Everything that Go opens itself is close-on-exec, and what was inherited never is.
func Inherited(fd int, write bool) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err != nil {
		return ErrClosed
	}
	if flags&unix.FD_CLOEXEC != 0 {
		return ErrNotInherited
	}
	if flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil {
		return os.NewSyscallError("fcntl F_GETFL", err)
	}
	mode := flags & unix.O_ACCMODE
	switch {
	case write && (flags&oPath != 0 || mode == unix.O_RDONLY):
		return ErrNotWritable
	case !write && (flags&oPath != 0 || mode == unix.O_WRONLY):
		return ErrNotReadable
	}
	return nil
}

// ReadDocumentFile reads a file as [ReadDocument] does. A named pipe without a writer does not block. opened is
// [FileOf] what was read.
func ReadDocumentFile(path string, max int, within time.Duration) (doc []byte, opened string, err error) {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, "", &os.PathError{Op: "open", Path: path, Err: err}
	}
	opened = FileOf(fd)
	doc, err = ReadDocument(fd, max, within)
	return doc, opened, err
}

// ReadDocument reads fd from its current offset to its end, at most max bytes, for at most that long, and closes it.
func ReadDocument(fd, max int, within time.Duration) ([]byte, error) {
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, os.NewSyscallError("fstat", err)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		return nil, ErrFolder
	}
	b := make([]byte, 0, 4096)
	for until := time.Now().Add(within); ; {
		left := time.Until(until)
		if left <= 0 {
			return nil, ErrTooSlow
		}
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(fds, int(left/time.Millisecond)+1)
		if err != nil && err != unix.EINTR {
			return nil, os.NewSyscallError("poll", err)
		}
		if n <= 0 {
			continue
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, len(b))
		}
		n, err = unix.Read(fd, b[len(b):cap(b)])
		switch {
		case err == unix.EINTR || err == unix.EAGAIN:
			continue
		case err != nil:
			return nil, os.NewSyscallError("read", err)
		case n == 0:
			return b, nil
		}
		if b = b[:len(b)+n]; len(b) > max {
			return nil, ErrTooLong
		}
	}
}

func openRetry(path string, flags int, mode uint32) (int, error) {
	return retry(func() (int, error) { return unix.Open(path, flags, mode) })
}

// retry makes a call again for as long as a signal interrupts it.
func retry(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}

// WriteUntil writes all of b before a moment, whether the descriptor blocks or not: each write follows a poll that
// reports room, a pipe then takes at least PIPE_BUF bytes (pipe(7)), and a send to a socket does not wait. A
// message socket gets several messages.
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
