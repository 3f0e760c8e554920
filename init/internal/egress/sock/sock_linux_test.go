package sock

import (
	"errors"
	"net/netip"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// bound is a socket with a port of its own at which nothing listens.
func bound(t *testing.T) (fd int, at netip.AddrPort) {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		t.Cleanup(func() { unix.Close(fd) })
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	own, err2 := unix.Getsockname(fd)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	return fd, AddrPort(own)
}

// connect connects and waits for the end.
func connect(t *testing.T, to netip.AddrPort, kind int) (int, error) {
	t.Helper()
	fd, err := Connect(to, kind)
	if err != nil {
		return -1, err
	}
	t.Cleanup(func() { unix.Close(fd) })
	if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 10000); err != nil {
		t.Fatal(err)
	}
	return fd, Connected(fd)
}

func TestConnect(t *testing.T) {
	listener, at := bound(t)
	if _, err := connect(t, at, unix.SOCK_STREAM); !errors.Is(err, unix.ECONNREFUSED) || err.Error() != "connect: connection refused" {
		t.Errorf("nothing listens: %v", err)
	}
	if err := unix.Listen(listener, 8); err != nil {
		t.Fatal(err)
	}
	mapped := netip.AddrPortFrom(netip.AddrFrom16(at.Addr().As16()), at.Port())
	for _, to := range []netip.AddrPort{at, mapped} {
		fd, err := connect(t, to, unix.SOCK_STREAM)
		if err != nil {
			t.Fatalf("%v: %v", to, err)
		}
		if peer, err := unix.Getpeername(fd); err != nil || AddrPort(peer) != at {
			t.Errorf("%v: connected to %v, %v", to, AddrPort(peer), err)
		}
	}
	if _, err := connect(t, at, unix.SOCK_DGRAM); err != nil {
		t.Errorf("datagrams: %v", err)
	}
}

// A connect to a port from which it is itself would seem to succeed (RFC 9293, section 3.5: simultaneous open).
func TestItself(t *testing.T) {
	fd, at := bound(t)
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}); err != nil {
		t.Fatal(err)
	}
	if err := Connected(fd); !errors.Is(err, unix.ECONNREFUSED) {
		t.Errorf("got %v", err)
	}
}

func TestZone(t *testing.T) {
	for zone, want := range map[string]error{"lo": nil, "1": nil, "nosuchlink": unix.ENODEV, "a-name-that-is-too-long": unix.EINVAL} {
		fd, _ := bound(t)
		n, err := index(fd, zone)
		if !errors.Is(err, want) || err == nil && n != 1 {
			t.Errorf("%s: %d, %v", zone, n, err)
		}
	}
	before, _ := os.ReadDir("/proc/self/fd")
	to := netip.AddrPortFrom(netip.MustParseAddr("fe80::1%nosuchlink"), 53)
	if _, err := Connect(to, unix.SOCK_DGRAM); !errors.Is(err, unix.ENODEV) && !errors.Is(err, unix.EAFNOSUPPORT) {
		t.Errorf("got %v", err)
	}
	if after, _ := os.ReadDir("/proc/self/fd"); len(after) != len(before) {
		t.Error("a socket stays open")
	}
}
