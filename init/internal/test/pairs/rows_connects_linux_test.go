package pairs_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// This file: acts of the states that connect and bind a socket more than once.

// again makes a call three times, as if a signal had made it again.
func again(number int) func(*server) string {
	return func(s *server) string {
		fd := s.tcp()
		_, at := sockaddr(s.Echo)
		if number == unix.SYS_BIND {
			_, at = sockaddr(0)
		}
		one := func() string { return call(number, fd, at, 16) }
		return one() + " " + one() + " " + one()
	}
}

// afterShutdown gives up a connection that is pending, and connects anew, to a place that answers.
func afterShutdown(s *server) string {
	fd := s.tcp()
	_ = unix.SetNonblock(fd, true)
	text := nameOf(unix.Connect(fd, local(s.Full)))
	text += " " + nameOf(unix.Shutdown(fd, unix.SHUT_RDWR))
	_ = unix.SetNonblock(fd, false)
	call(unix.SYS_LISTEN, s.tcp(), 1) // is answered after that
	return text + " " + nameOf(unix.Connect(fd, local(s.Echo)))
}

// queue has more threads wait for one connection than the launcher lets, and gives it up.
func queue(s *server) string {
	fd := s.tcp()
	const threads = 70
	results := s.connecting(fd, s.Full, threads)
	if s.Launched && !testbed.Comes(func() bool { return len(results) == threads-64 }) {
		return fmt.Sprint(len(results), " were told at once")
	}
	_ = unix.Shutdown(fd, unix.SHUT_RDWR)
	counts := map[string]int{}
	for range threads {
		counts[<-results]++
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprint(counts[name], " ", name))
	}
	slices.Reverse(all)
	return strings.Join(all, ", ")
}

// resetError is the error of a connection that its host has reset.
func resetError(s *server) string {
	fd := s.tcp()
	text := nameOf(unix.Connect(fd, local(s.Resets)))
	if _, err := unix.Write(fd, []byte("x")); err != nil {
		return nameOf(err)
	}
	wait(fd, unix.POLLIN)
	return text + pending(fd)
}

// pendingError is the error of a connection that was refused, which reading clears.
func pendingError(s *server) string {
	fd := s.tcp()
	_ = unix.SetNonblock(fd, true)
	text := nameOf(unix.Connect(fd, local(s.Dead)))
	wait(fd, unix.POLLOUT)
	return text + pending(fd)
}

// twice connects to two places.
func twice(s *server) string {
	fd := s.echo()
	return echoed(fd) + " " + nameOf(unix.Connect(fd, local(s.Forbidden)))
}

func twiceFull(s *server) string {
	fd := s.tcp()
	_ = unix.SetNonblock(fd, true)
	return nameOf(unix.Connect(fd, local(s.Full))) + " " + nameOf(unix.Connect(fd, local(s.Full)))
}

func bindTwice(s *server) string {
	fd := s.tcp()
	return nameOf(unix.Bind(fd, local(0))) + " " + nameOf(unix.Bind(fd, local(0)))
}

func peerEarly(s *server) string {
	fd := s.tcp()
	_ = unix.SetNonblock(fd, true)
	text := nameOf(unix.Connect(fd, local(s.Full)))
	_, err := unix.Getpeername(fd)
	return text + " " + nameOf(err)
}

// pending is SO_ERROR twice, of a socket in which something has happened.
func pending(fd int) (text string) {
	for range 2 {
		n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
		if err != nil {
			return nameOf(err)
		}
		text += " " + nameOf(unix.Errno(n))
	}
	return text
}
