package supervise

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// An outlet writes to a descriptor of the host's without ever waiting for its reader, and without changing it: the
// non-blocking flag belongs to the open file, which the host and other processes share.
type outlet struct {
	fd    int  // -1 when nobody reads any more
	chunk int  // at most so much at once; 0: everything
	sock  bool // send(2) can be told not to wait
}

// newOutlet writes to what fd is open on. Terminals and pipes are opened once more, which makes another open file; where
// that is refused a pipe takes PIPE_BUF bytes without waiting whenever poll says that it takes any; pipe(7).
func newOutlet(fd int) (outlet, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return outlet{}, err
	}
	o := outlet{fd: -1}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		o.sock = true
	case unix.S_IFIFO, unix.S_IFCHR:
		// Opening the master side of a pty would make another pty.
		if _, err := unix.IoctlGetInt(fd, unix.TIOCGPTN); err == nil {
			o.chunk = 4096
			break
		}
		again, err := reopen(fd, unix.O_WRONLY)
		if err == nil {
			o.fd = again
			return o, nil
		}
		o.chunk = 4096
	}
	var err error
	o.fd, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, lowest)
	return o, err
}

// reopen opens once more what fd is open on. It is another open file, which does not block.
func reopen(fd, how int) (int, error) {
	return unix.Open("/proc/self/fd/"+strconv.Itoa(fd), how|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
}

// lowest is the lowest number of a descriptor that is the shim's own.
const lowest = 3

// write writes what fits now. An error is the end of the outlet; that there is no room is none.
func (o *outlet) write(b []byte) (n int, err error) {
	if o.chunk > 0 {
		b = b[:min(len(b), o.chunk)]
	}
	if o.sock {
		n, err = unix.SendmsgN(o.fd, b, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	} else {
		n, err = unix.Write(o.fd, b)
	}
	if err == unix.EAGAIN || err == unix.EINTR {
		return 0, nil
	}
	return max(n, 0), err
}

func (o *outlet) close() {
	if o.fd >= 0 {
		unix.Close(o.fd)
		o.fd = -1
	}
}
