package userbus

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A conn is a connection whose calls are made one after the other, all of them before a deadline.
type conn struct {
	fd      int
	until   time.Time
	in      []byte // read and not yet decoded
	serial  uint32
	signals []message // JobRemoved
	replies []message
	asked   bool // the manager was asked for a scope
}

// runtimeDir is the folder of a user's sockets; pam_systemd(8). The folder has to be that user's alone.
func runtimeDir(uid int) (string, error) {
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		dir = "/run/user/" + strconv.Itoa(uid)
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return "", &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	if int(st.Uid) != uid || st.Mode&0o022 != 0 || st.Mode&unix.S_IFMT != unix.S_IFDIR || !strings.HasPrefix(dir, "/") {
		return "", errors.New(dir + " is not this user's alone")
	}
	return dir, nil
}

// dial connects, checks the peer's user, and authenticates.
func dial(path string, uid int, until time.Time) (*conn, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, os.NewSyscallError("socket", err)
	}
	c := &conn{fd: fd, until: until}
	if err = unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		err = &os.PathError{Op: "connect", Path: path, Err: err}
	} else if peer, e := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); e != nil || int(peer.Uid) != uid {
		err = errors.New(path + " is another user's")
	} else {
		err = c.authenticate(uid)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *conn) close() { unix.Close(c.fd) }

// authenticate names this process's user. The bus compares with the peer credentials of the kernel.
func (c *conn) authenticate(uid int) error {
	id := ""
	for _, digit := range strconv.Itoa(uid) { // the text of the number, in hexadecimal
		id += "3" + string(digit)
	}
	if err := c.write([]byte("\x00AUTH EXTERNAL " + id + "\r\n")); err != nil {
		return err
	}
	for {
		line, rest, found := bytes.Cut(c.in, []byte("\r\n"))
		if found {
			c.in = rest
			if !bytes.HasPrefix(line, []byte("OK ")) {
				return errors.New("the bus does not know this user: " + string(line))
			}
			return c.write([]byte("BEGIN\r\n"))
		}
		if len(c.in) > 1024 {
			return errMessage
		}
		if err := c.read(); err != nil {
			return err
		}
	}
}

// do makes a call and waits for the answer.
func (c *conn) do(method *call, body []byte) (*message, error) {
	c.serial++
	if err := c.write(method.encode(c.serial, body)); err != nil {
		return nil, err
	}
	for {
		for i := range c.replies {
			m := &c.replies[i]
			if m.reply != c.serial {
				continue
			}
			if m.kind == errorReply {
				return nil, errors.New(method.member + ": " + m.errorName)
			}
			return m, nil
		}
		c.replies = c.replies[:0]
		if err := c.next(); err != nil {
			return nil, err
		}
	}
}

// next reads one message, and keeps a reply or a JobRemoved.
func (c *conn) next() error {
	for {
		n, err := length(c.in)
		if err != nil {
			return err
		}
		if n == 0 || n > len(c.in) {
			if err = c.read(); err != nil {
				return err
			}
			continue
		}
		m, err := decode(c.in[:n:n])
		c.in = c.in[n:]
		if err != nil {
			return err
		}
		switch {
		case m.kind == signal && m.member == jobRemoved:
			c.signals = append(c.signals, m)
		case m.kind == methodReturn || m.kind == errorReply:
			c.replies = append(c.replies, m)
		}
		return nil
	}
}

// read waits for bytes and reads them.
func (c *conn) read() error {
	if err := c.wait(unix.POLLIN); err != nil {
		return err
	}
	b := make([]byte, 4096)
	n, err := unix.Read(c.fd, b)
	switch {
	case err == unix.EINTR || err == unix.EAGAIN:
		return nil
	case err != nil:
		return os.NewSyscallError("read", err)
	case n == 0:
		return errors.New("the bus hung up")
	}
	c.in = append(c.in, b[:n]...)
	return nil
}

func (c *conn) write(b []byte) error {
	for len(b) > 0 {
		n, err := unix.SendmsgN(c.fd, b, nil, nil, unix.MSG_NOSIGNAL)
		switch err {
		case nil:
			b = b[n:]
		case unix.EINTR:
		case unix.EAGAIN:
			if err := c.wait(unix.POLLOUT); err != nil {
				return err
			}
		default:
			return os.NewSyscallError("write", err)
		}
	}
	return nil
}

func (c *conn) wait(events int16) error {
	for {
		left := time.Until(c.until)
		if left <= 0 {
			return errors.New("no answer in time")
		}
		fds := []unix.PollFd{{Fd: int32(c.fd), Events: events}}
		n, err := unix.Poll(fds, int(left/time.Millisecond)+1)
		if err != nil && err != unix.EINTR {
			return os.NewSyscallError("poll", err)
		}
		if n > 0 {
			return nil
		}
	}
}
