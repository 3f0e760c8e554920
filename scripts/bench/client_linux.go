package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// clientArg makes this program the client of the streams: it reads lines with an act and its numbers, and answers each
// with nanoseconds. Its sockets block, for Go's poller would add its own times to what is measured.
//
//	-as-client ADDRESS|NAME
const clientArg = "-as-client"

// The acts of a client.
const (
	actUp      = "up"      // streams, bytes of each: sent, until the server has all of them
	actDown    = "down"    // streams, bytes of each: received
	actConnect = "connect" // times: a connection, a byte each way, its end; the median
	actLookup  = "lookup"  // times, unused: a question for the site's address; the median
	actName    = "name"    // times, unused: getsockname(2) of a connection; the median
)

type client struct {
	to    netip.AddrPort // the site
	names *unix.SockaddrInet4
}

func clientMain(words []string) {
	unix.Setsid() // a group of the scheduler's own, if it does not lead one already; sched(7)
	c, err := newClient(words)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("<nil>")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var act string
		var many, size int
		if _, err := fmt.Sscan(lines.Text(), &act, &many, &size); err != nil {
			fmt.Println(err)
			continue
		}
		took, err := c.act(act, many, size)
		if err != nil {
			fmt.Println(act, err)
			continue
		}
		fmt.Println(took.Nanoseconds())
	}
}

func newClient(words []string) (*client, error) {
	c := &client{}
	text, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "nameserver" {
			if a, err := netip.ParseAddr(f[1]); err == nil && a.Is4() && c.names == nil {
				c.names = &unix.SockaddrInet4{Port: 53, Addr: a.As4()}
			}
		}
	}
	address, err := netip.ParseAddr(words[0])
	if err != nil {
		if address, err = c.lookup(); err != nil {
			return nil, err
		}
	}
	c.to = netip.AddrPortFrom(address, sitePort)
	return c, nil
}

func (c *client) act(act string, many, size int) (time.Duration, error) {
	switch act {
	case actUp, actDown:
		start := time.Now()
		errs := make(chan error, many)
		for range many {
			go func() { errs <- c.stream(act, size) }()
		}
		var err error
		for range many {
			err = errors.Join(err, <-errs)
		}
		return time.Since(start), err
	case actConnect:
		return median(many, c.touch)
	case actName:
		fd, err := c.connect()
		if err != nil {
			return 0, err
		}
		defer unix.Close(fd)
		return median(many, func() error {
			_, err := unix.Getsockname(fd)
			return err
		})
	}
	return median(many, func() error {
		_, err := c.lookup()
		return err
	})
}

func median(many int, act func() error) (time.Duration, error) {
	all := make([]time.Duration, many)
	for i := range all {
		start := time.Now()
		if err := act(); err != nil {
			return 0, err
		}
		all[i] = time.Since(start)
	}
	slices.Sort(all)
	return all[many/2], nil
}

// connect is a connection.
func (c *client) connect() (fd int, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	err = unix.Connect(fd, &unix.SockaddrInet4{Port: int(c.to.Port()), Addr: c.to.Addr().As4()})
	if err == unix.EINTR { // a signal of Go's own; the connection goes on, connect(2)
		unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, -1)
		err = nil
	}
	return fd, os.NewSyscallError("connect", err)
}

// touch is a connection for a byte each way.
func (c *client) touch() error {
	fd, err := c.connect()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	b := []byte{wantByte}
	if _, err := unix.Write(fd, b); err != nil {
		return err
	}
	n, err := unix.Read(fd, b)
	if err == nil && n != 1 {
		err = unix.ECONNRESET
	}
	return err
}

func (c *client) stream(act string, size int) error {
	fd, err := c.connect()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	b := make([]byte, chunk)
	if act == actDown {
		if _, err := unix.Write(fd, binary.BigEndian.AppendUint64([]byte{wantBytes}, uint64(size))); err != nil {
			return err
		}
		return read(fd, b, size)
	}
	b[0] = wantSink
	for left := size; left > 0; {
		n, err := unix.Write(fd, b[:min(left, chunk)])
		if err != nil {
			return err
		}
		left -= n
	}
	if err := unix.Shutdown(fd, unix.SHUT_WR); err != nil {
		return err
	}
	return read(fd, b, 1)
}

// read reads as many bytes, and no more may come.
func read(fd int, b []byte, size int) error {
	got := 0
	for {
		n, err := unix.Read(fd, b)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		got += n
	}
	if got != size {
		return fmt.Errorf("%d bytes, and not %d", got, size)
	}
	return nil
}
