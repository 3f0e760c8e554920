package userbus

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A conn is a connection whose calls are made one after the other, all of them before a deadline.
type conn struct {
	*os.File
	in       *bufio.Reader
	serial   uint32
	received []message // replies and JobRemoved
	bytes    int       // of all messages
	asked    bool      // the manager was asked for a scope
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
	c := &conn{File: os.NewFile(uintptr(fd), path)}
	c.in = bufio.NewReader(c)
	if err = unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		err = &os.PathError{Op: "connect", Path: path, Err: err}
	} else if peer, e := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); e != nil || int(peer.Uid) != uid {
		err = errors.New(path + " is another user's")
	} else if err = c.SetDeadline(until); err == nil {
		err = c.authenticate(uid)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// authenticate names this process's user. The bus compares with the peer credentials of the kernel.
func (c *conn) authenticate(uid int) error {
	id := ""
	for _, digit := range strconv.Itoa(uid) { // the text of the number, in hexadecimal
		id += "3" + string(digit)
	}
	if _, err := c.WriteString("\x00AUTH EXTERNAL " + id + "\r\n"); err != nil {
		return err
	}
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	answer := strings.TrimSuffix(string(line), "\r\n")
	if !strings.HasPrefix(answer, "OK ") {
		return errors.New("the bus does not know this user: " + answer)
	}
	_, err = c.WriteString("BEGIN\r\n")
	return err
}

// do makes a call and waits for the answer.
func (c *conn) do(method *call, body []byte) (*message, error) {
	c.serial++
	if _, err := c.Write(method.encode(c.serial, body)); err != nil {
		return nil, err
	}
	m, err := c.await(func(m *message) bool { return m.kind != signal && m.reply == c.serial })
	if err == nil && m.kind == errorReply {
		return nil, errors.New(method.member + ": " + m.errorName)
	}
	return m, err
}

// await is the first message that fits, of those received or still to come.
func (c *conn) await(fits func(*message) bool) (*message, error) {
	for i := 0; ; i++ {
		for i >= len(c.received) {
			if err := c.receive(); err != nil {
				return nil, err
			}
		}
		if m := &c.received[i]; fits(m) {
			return m, nil
		}
	}
}

// mostOfAll is how much is read in one talk: whoever listens there may be a server.
const mostOfAll = 4 << 20

// receive reads one message, and keeps a reply or a JobRemoved.
func (c *conn) receive() error {
	head, err := c.in.Peek(fixed)
	if err != nil {
		return err
	}
	n, err := length(head)
	if err != nil {
		return err
	}
	b := make([]byte, n)
	if _, err = io.ReadFull(c.in, b); err != nil {
		return err
	}
	if c.bytes += n; c.bytes > mostOfAll {
		return errors.New("the user's systemd said more than an answer has")
	}
	m, err := decode(b)
	if err == nil && (m.kind == signal && m.member == jobRemoved || m.kind == methodReturn || m.kind == errorReply) {
		c.received = append(c.received, m)
	}
	return err
}
