package basic

import "golang.org/x/sys/unix"

const bytesUnread = unix.TIOCINQ

func hungUp(fd, milliseconds int) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	for {
		n, err := unix.Poll(fds, milliseconds)
		if err != unix.EINTR {
			return n > 0, err
		}
	}
}

// ended waits for the end of a process. It reports false if nobody can tell.
func ended(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return err == unix.ESRCH
	}
	defer unix.Close(fd)
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		if n, err := unix.Poll(fds, -1); err != unix.EINTR {
			return n > 0
		}
	}
}
