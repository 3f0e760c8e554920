package platform

import (
	"strconv"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// WriteNow writes to a pipe, a socket or a terminal without blocking: EAGAIN says that there is no room. The open
// file description may be a blocking one that other processes share, and POLLOUT of poll(2) is no promise: another
// writer can fill the pipe before this write. A pipe takes RWF_NOWAIT of pwritev2(2) since Linux 6.4 (afed6271f5b0).
// Where the kernel does not, the file is opened anew with O_NONBLOCK. A file that cannot be opened anew, and a
// regular file, get write(2).
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
	const flags = unix.O_WRONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	again, err := unix.Open("/proc/self/fd/"+strconv.Itoa(fd), flags, 0)
	if err != nil {
		return unix.Write(fd, b)
	}
	defer unix.Close(again)
	return unix.Write(again, b)
}

// send is sendmsg(2) with MSG_DONTWAIT, or write(2) where a filter around this process refuses sendmsg(2).
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

// WithoutSendmsg makes this package write to sockets by write(2) from now on. A filter around this process may kill the
// caller of sendmsg(2), and the standard error of a systemd unit, where the error has to be said, is a socket.
func WithoutSendmsg() { noSendmsg.Store(true) }
