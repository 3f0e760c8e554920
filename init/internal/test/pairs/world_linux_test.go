package pairs_test

import (
	"errors"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// places are the targets of the attacks: all of them sockets of the test's, on loopback.
type places struct {
	Echo      int    // of TCP, in the policy
	Dead      int    // in the policy, and nothing listens there
	Full      int    // in the policy; its queue is full, and it answers no SYN
	Resets    int    // in the policy; a connection is reset when a byte has come
	Forbidden int    // of TCP and of UDP, not in the policy
	Names     int    // of UDP: in place of port 53 where there is no launcher
	Dir       string // which the server may write
	Path      string // of sockets of AF_UNIX, each with a letter behind it
	Slow      string // a folder of testbed.Slow
	Many      int    // rounds of a race
	Launched  bool   // false: without a launcher, for control
}

// kinds are the letters of sockets of AF_UNIX, at a path and at an abstract name.
var kinds = map[string]int{"s": unix.SOCK_STREAM, "p": unix.SOCK_SEQPACKET, "d": unix.SOCK_DGRAM}

// A world is the places and their sockets.
type world struct {
	places
	t         *testing.T
	forbidden atomic.Int64 // connections
	datagrams *net.UDPConn
	unix      map[string]int // sockets of AF_UNIX by their names
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, unix: map[string]int{}}
	w.Dir, w.Many = testbed.Folder(t), 3000
	if testing.Short() {
		w.Many = 300
	}
	w.Path = filepath.Join(w.Dir, "s")
	w.Echo = listen(t, func(c net.Conn) { io.Copy(c, c) })
	w.Resets = listen(t, func(c net.Conn) {
		c.Read(make([]byte, 1))
		c.(*net.TCPConn).SetLinger(0)
	})
	testbed.Await(t, "a port that is free for UDP too", func() bool {
		w.Forbidden = listen(t, func(net.Conn) { w.forbidden.Add(1) })
		var err error
		w.datagrams, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: w.Forbidden})
		return err == nil
	})
	t.Cleanup(func() { w.datagrams.Close() })
	w.Names = echoDatagrams(t)
	_, w.Dead = bound(t)
	w.Full = full(t)
	for letter, kind := range kinds {
		for _, name := range []string{w.Path + letter, "@" + w.Path + letter} {
			w.unix[name] = named(t, name, kind)
		}
	}
	return w
}

func listen(t *testing.T, serve func(net.Conn)) (port int) {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				serve(c)
				c.Close()
			}()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

func echoDatagrams(t *testing.T) (port int) {
	t.Helper()
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	go func() {
		for b := make([]byte, 512); ; {
			n, from, err := c.ReadFromUDP(b)
			if err != nil {
				return
			}
			_, _ = c.WriteToUDP(b[:n], from)
		}
	}()
	return c.LocalAddr().(*net.UDPAddr).Port
}

// bound is a socket that holds a port.
func bound(t *testing.T) (fd, port int) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	at, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fd, at.(*unix.SockaddrInet4).Port
}

// full is a port whose queue of connections is full: a further SYN is dropped, listen(2).
func full(t *testing.T) (port int) {
	t.Helper()
	l, port := bound(t)
	if err := unix.Listen(l, 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err == nil {
			err = unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: port})
		}
		if err != nil && err != unix.EINPROGRESS {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
	}
	return port
}

func named(t *testing.T, name string, kind int) int {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: name})
	}
	if err == nil && name[0] == '/' {
		err = unix.Chmod(name, 0o777)
	}
	if err == nil && kind != unix.SOCK_DGRAM {
		err = unix.Listen(fd, 8)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// reached are the places outside the policy that got something, in words.
func (w *world) reached() (all []string) {
	if c, err := net.Dial("tcp4", "127.0.0.1:"+strconv.Itoa(w.Forbidden)); err == nil { // the last to be accepted
		c.Close()
	}
	testbed.Await(w.t, "the test's own connection", func() bool { return w.forbidden.Load() > 0 })
	if n := w.forbidden.Load() - 1; n > 0 {
		all = append(all, strconv.FormatInt(n, 10)+" connections at the forbidden port")
	}
	var b [64]byte
	var n int
	var err error
	raw, _ := w.datagrams.SyscallConn()
	raw.Control(func(fd uintptr) { n, _, err = unix.Recvfrom(int(fd), b[:], unix.MSG_DONTWAIT) })
	if err == nil {
		all = append(all, "a datagram at the forbidden port: "+string(b[:n]))
	}
	for name, fd := range w.unix {
		if c, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC); err == nil {
			unix.Close(c)
			all = append(all, "a connection at "+name)
		}
		if n, _, err := unix.Recvfrom(fd, b[:], unix.MSG_DONTWAIT); err == nil {
			all = append(all, "a datagram at "+name+": "+string(b[:n]))
		} else if !errors.Is(err, unix.EAGAIN) && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTCONN) {
			all = append(all, name+": "+err.Error())
		}
	}
	return all
}
