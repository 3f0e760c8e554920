package dial

import (
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// A bench is a dialer with a clock that stands still until it is moved.
type bench struct {
	*Dialer
	set    *loop.Set
	now    time.Time
	before int // descriptors
}

// An outcome is what done was called with.
type outcome struct {
	fd     int
	err    error
	calls  int
	cancel func()
}

func newBench(t *testing.T, p Proxy, r Resolver) *bench {
	t.Helper()
	set, err := loop.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{set: set, now: time.Now()}
	b.Dialer = New(set, Config{Proxy: p, Resolver: r, Now: func() time.Time { return b.now }})
	t.Cleanup(func() { b.Close(); set.Close() })
	b.before = descriptors(t)
	return b
}

func (b *bench) dial(target Target) *outcome {
	o := &outcome{fd: -1}
	o.cancel = b.Dial(target, func(fd int, err error) { o.fd, o.err, o.calls = fd, err, o.calls+1 })
	return o
}

// serve serves the set until done was called.
func (b *bench) serve(t *testing.T, o *outcome) *outcome {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); o.calls == 0; {
		left := time.Until(end)
		if left <= 0 {
			t.Fatal("nothing happened for 20 s")
		}
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(b.set.FD()), Events: unix.POLLIN}}, int(left/time.Millisecond)); err == nil {
			b.set.Serve()
		}
	}
	b.ended(t, o)
	return o
}

// pass moves the clock to the next time at which there is something to do.
func (b *bench) pass(t *testing.T) time.Duration {
	t.Helper()
	next := b.Next()
	if next.IsZero() {
		t.Fatal("there is nothing to wait for")
	}
	b.Due(next.Add(-1)) // too early
	passed := next.Sub(b.now)
	b.now = next
	b.Due(next)
	return passed
}

// ended checks that done was called once and that nothing but the connection stays open.
func (b *bench) ended(t *testing.T, o *outcome) {
	t.Helper()
	open := 0
	if o.err == nil {
		open = 1
	}
	if n := descriptors(t) - b.before; n != open || o.calls != 1 || !b.Next().IsZero() || (o.fd >= 0) != (o.err == nil) {
		t.Errorf("%d descriptors more are open, done was called %d times with %d, %v", n, o.calls, o.fd, o.err)
	}
	if o.fd >= 0 {
		t.Cleanup(func() { unix.Close(o.fd) })
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func loopback(port uint16, last byte) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, last}), port)
}

// listening is a listener that accepts nobody: the kernel connects as many as its backlog holds.
func listening(t *testing.T, at netip.AddrPort, backlog int) (fd int, where netip.AddrPort) {
	t.Helper()
	domain, sa := unix.AF_INET, unix.Sockaddr(&unix.SockaddrInet4{Port: int(at.Port()), Addr: [4]byte{127, 0, 0, 1}})
	if at.Addr().Is4() {
		sa.(*unix.SockaddrInet4).Addr = at.Addr().As4()
	} else {
		domain, sa = unix.AF_INET6, &unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()}
	}
	fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		t.Cleanup(func() { unix.Close(fd) })
		err = unix.Bind(fd, sa)
	}
	if err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		t.Fatal(err)
	}
	own, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fd, sock.AddrPort(own)
}

// refusing is an address at which nothing listens.
func refusing(t *testing.T) netip.AddrPort {
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
	return sock.AddrPort(own)
}

// hanging is an address whose listener's queue is full, so that a connect to it neither ends nor fails.
func hanging(t *testing.T) netip.AddrPort {
	t.Helper()
	_, at := listening(t, loopback(0, 1), 0)
	for range 3 {
		fd, err := sock.Connect(at, unix.SOCK_STREAM)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
	}
	return at
}
