package relay

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// A writer writes to a descriptor of the host's without ever waiting for its reader and without setting
// O_NONBLOCK on it: that flag belongs to the open file description, which the host and other processes share.
type writer struct {
	fd    int  // -1: the reader is gone
	chunk int  // at most so many bytes at once; 0: any number
	sock  bool // send(2) takes MSG_DONTWAIT
}

// newWriter writes to the file of fd. Terminals and pipes are opened once more, which makes another open file
// description; where that is refused a pipe takes PIPE_BUF bytes without waiting whenever poll says that it takes any;
// pipe(7).
func newWriter(fd int) (writer, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return writer{}, err
	}
	w := writer{fd: -1}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		w.sock = true
	case unix.S_IFIFO, unix.S_IFCHR:
		w.chunk = pipeBuf
		if _, err := unix.IoctlGetInt(fd, unix.TIOCGPTN); err == nil { // to open the master of a pty makes another pty
			break
		}
		if again, err := reopen(fd, unix.O_WRONLY); err == nil {
			return writer{fd: again}, nil
		}
	}
	var err error
	w.fd, err = dup(fd)
	return w, err
}

// pipeBuf is PIPE_BUF of limits.h.
const pipeBuf = 4096

// dup duplicates a descriptor to one that is not standard input, output or error.
func dup(fd int) (int, error) { return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3) }

// reopen opens the file of a descriptor once more, without waiting for its reads and writes.
func reopen(fd, how int) (int, error) {
	return unix.Open("/proc/self/fd/"+strconv.Itoa(fd), how|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
}

// write writes as many bytes as fit now. A full pipe is no error; an error is the writer's end.
func (w *writer) write(b []byte) (n int, err error) {
	if w.chunk > 0 {
		b = b[:min(len(b), w.chunk)]
	}
	if w.sock {
		n, err = unix.SendmsgN(w.fd, b, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	} else {
		n, err = unix.Write(w.fd, b)
	}
	if err == unix.EAGAIN || err == unix.EINTR {
		return 0, nil
	}
	return max(n, 0), err
}

func (w *writer) close() {
	if w.fd >= 0 {
		unix.Close(w.fd)
		w.fd = -1
	}
}
