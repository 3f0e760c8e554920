package limitsonly

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Linux has a shim of its own, in package shim. This file is for the tests, which run the part for macOS.

const (
	bytesUnread = unix.TIOCINQ
	rssUnit     = 1 << 10
)

func hungUp(fd, milliseconds int) (bool, error) {
	n, err := poll(fd, unix.POLLRDHUP, milliseconds)
	return n > 0, err
}

func waitProcess(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err == unix.ESRCH
	}
	defer unix.Close(fd)
	n, _ := poll(fd, unix.POLLIN, -1)
	return n > 0
}

func poll(fd int, events int16, milliseconds int) (n int, err error) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: events}}
	for {
		if n, err = unix.Poll(fds, milliseconds); err != unix.EINTR {
			return n, err
		}
	}
}

func userProcesses(int) (int, error) { return 0, errors.ErrUnsupported }
