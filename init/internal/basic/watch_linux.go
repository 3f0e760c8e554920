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

func watchParent(gone func()) {
	fd, err := unix.PidfdOpen(unix.Getppid(), 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		if n, err := unix.Poll(fds, -1); err != unix.EINTR {
			if n > 0 {
				gone()
			}
			return
		}
	}
}
