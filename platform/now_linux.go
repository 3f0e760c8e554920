package platform

import (
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// WriteNow writes to a pipe, a socket or a terminal without waiting, though the open file that others share may block: EAGAIN if there
// is no room. That poll(2) said there was does not help: another writer can fill it in between, for good. A pipe knows
// RWF_NOWAIT since Linux 6.4 (afed6271f5b0), pwritev2(2); else the same is opened once more, if its owner lets this process.
// Where neither can be had, and of files, it is write(2).
func WriteNow(fd int, b []byte) (int, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		return send(fd, b)
	case unix.S_IFIFO, unix.S_IFCHR:
	default:
		return unix.Write(fd, b)
	}
	n, err := unix.Pwritev2(fd, [][]byte{b}, -1, unix.RWF_NOWAIT)
	if err != unix.EOPNOTSUPP && err != unix.ENOSYS && err != unix.EINVAL {
		return n, err
	}
	again, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return unix.Write(fd, b)
	}
	defer unix.Close(again)
	return unix.Write(again, b)
}

// send is sendmsg(2), or write(2) where a filter around this process refuses that, by whatever errno.
func send(fd int, b []byte) (int, error) {
	if !noSendmsg.Load() {
		switch n, err := unix.SendmsgN(fd, b, nil, nil, unix.MSG_DONTWAIT); err {
		case nil, unix.EAGAIN, unix.EINTR, unix.EPIPE, unix.ECONNRESET:
			return n, err
		}
	}
	return unix.Write(fd, b)
}

var noSendmsg atomic.Bool

// WithoutSendmsg has this package write to sockets by write(2) from now on: a filter around this process ends whoever calls
// sendmsg(2), and what is left to be done is to say so. In a unit of systemd's standard error is a socket.
func WithoutSendmsg() { noSendmsg.Store(true) }
