package pairs_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// addresses are other addresses of this machine than 127.0.0.1, at the forbidden port and at one of the policy.
func addresses() (all []attack) {
	for _, text := range []string{"0.0.0.0", "127.0.0.2", "::ffff:127.0.0.1", "::ffff:0.0.0.0"} {
		all = append(all, attack{name: "the forbidden port of " + text, act: connectsTo(text, true),
			want: "ECONNREFUSED", control: "ok|ECONNREFUSED"})
	}
	return append(all,
		attack{name: "a port of ::ffff:127.0.0.1", act: connectsTo("::ffff:127.0.0.1", false), want: "ok"},
		attack{name: "a port of 0.0.0.0", act: connectsTo("0.0.0.0", false), want: "ECONNREFUSED|ok", control: "ok"},
		attack{name: "a mapped address with IPV6_V6ONLY", act: onlyIPv6, want: "ENETUNREACH"},
		attack{name: "connections at once", act: crowd, want: "512 EINPROGRESS, ECONNREFUSED again:true",
			control: "600 EINPROGRESS again:true"})
}

// inet is a new socket of AF_INET6, or of AF_INET for an address of that, and the address in memory.
func (s *server) inet(text string, port int) (fd, at, size int) {
	a := netip.MustParseAddr(text)
	b, at := sockaddr(port)
	family := unix.AF_INET
	if size = 16; a.Is6() {
		family, size = unix.AF_INET6, 28
		binary.NativeEndian.PutUint16(b, unix.AF_INET6)
		clear(b[4:8])
		copy(b[8:], a.AsSlice())
	} else {
		copy(b[4:], a.AsSlice())
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		panic(err)
	}
	return s.closing(fd), at, size
}

func connectsTo(text string, forbidden bool) func(*server) string {
	return func(s *server) string {
		port := s.Echo
		if forbidden {
			port = s.Forbidden
		}
		fd, at, size := s.inet(text, port)
		return call(unix.SYS_CONNECT, fd, at, size)
	}
}

func onlyIPv6(s *server) string {
	fd, at, size := s.inet("::ffff:127.0.0.1", s.Echo)
	if err := unix.SetsockoptInt(fd, unix.SOL_IPV6, unix.IPV6_V6ONLY, 1); err != nil {
		return nameOf(err)
	}
	return call(unix.SYS_CONNECT, fd, at, size)
}

// crowd has 600 connections under way at once, and one afterwards.
func crowd(s *server) string {
	var seen each
	var fds []int
	begun := 0
	for range 600 {
		fd := tcp()
		fds = append(fds, fd)
		_ = unix.SetNonblock(fd, true)
		text := nameOf(unix.Connect(fd, local(s.Full)))
		if seen.add(text); text == "EINPROGRESS" {
			begun++
		}
	}
	for _, fd := range fds {
		unix.Close(fd)
	}
	ready := testbed.Comes(func() bool { // the launcher hears of the ends
		fd := tcp()
		defer unix.Close(fd)
		return unix.Connect(fd, local(s.Echo)) == nil
	})
	return fmt.Sprint(begun, " ", seen, " again:", ready)
}
