package dial

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"golang.org/x/sys/unix"
)

func to(all ...netip.AddrPort) Target { return Target{Name: "a.example", Addresses: all, Port: 443} }

// peer is the address that a stream is connected to.
func peer(t *testing.T, fd int) netip.AddrPort {
	t.Helper()
	sa, err := unix.Getpeername(fd)
	if err != nil {
		t.Fatal(err)
	}
	return sock.AddrPort(sa)
}

func TestDial(t *testing.T) {
	b := newBench(t, Proxy{}, nil)
	_, at := listening(t, loopback(0, 1), 8)
	b.before = descriptors(t)
	o := b.serve(t, b.dial(to(at)))
	if o.err != nil || peer(t, o.fd) != at {
		t.Fatal(o.err)
	}
	flags, _ := unix.FcntlInt(uintptr(o.fd), unix.F_GETFL, 0)
	cloexec, _ := unix.FcntlInt(uintptr(o.fd), unix.F_GETFD, 0)
	if flags&unix.O_NONBLOCK == 0 || cloexec&unix.FD_CLOEXEC == 0 {
		t.Errorf("flags %#x, %#x", flags, cloexec)
	}
	o.cancel() // after the end it does nothing
	if peer(t, o.fd) != at {
		t.Error("cancel closed what was handed over")
	}
}

func TestNextAddress(t *testing.T) {
	b := newBench(t, Proxy{}, nil)
	_, good := listening(t, loopback(0, 1), 8)
	bad, hangs := refusing(t), hanging(t)
	b.before = descriptors(t)

	o := b.serve(t, b.dial(to(bad, netip.MustParseAddrPort("255.255.255.255:1"), good))) // the clock stands still
	if o.err != nil || peer(t, o.fd) != good {
		t.Errorf("got %v", o.err)
	}

	b.before = descriptors(t)
	o = b.dial(to(hangs, good))
	b.set.Serve()
	if passed := b.pass(t); passed != nextAfter || o.calls != 0 {
		t.Errorf("the next was tried after %v, done was called %d times", passed, o.calls)
	}
	if b.serve(t, o); o.err != nil || peer(t, o.fd) != good {
		t.Errorf("got %v", o.err)
	}
}

func TestAllFail(t *testing.T) {
	b := newBench(t, Proxy{}, nil)
	bad, worse := refusing(t), refusing(t)
	b.before = descriptors(t)
	for what, c := range map[string]struct {
		target  Target
		address netip.AddrPort
		err     error
		text    string
	}{
		"refused":   {to(bad, worse), worse, unix.ECONNREFUSED, "connect: connection refused"},
		"broadcast": {to(netip.MustParseAddrPort("255.255.255.255:1")), netip.MustParseAddrPort("255.255.255.255:1"), nil, "connect: "}, /* ENETUNREACH or EACCES, by the routes */
		"none":      {to(), netip.AddrPort{}, unix.EADDRNOTAVAIL, "connect: cannot assign requested address"},
	} {
		o := b.serve(t, b.dial(c.target))
		e, ok := errors.AsType[*Error](o.err)
		if !ok || e.Address != c.address || c.err != nil && !errors.Is(o.err, c.err) || !strings.HasPrefix(e.Error(), c.text) {
			t.Errorf("%s: got %v of %v", what, o.err, e)
		}
	}
}

// All that hang: eight sockets at most, and the end after 10 s.
func TestAllHang(t *testing.T) {
	b := newBench(t, Proxy{}, nil)
	hangs := hanging(t)
	b.before = descriptors(t)
	o := b.dial(to(slices.Repeat([]netip.AddrPort{hangs}, 30)...))
	passed, most := time.Duration(0), 0
	for o.calls == 0 {
		b.set.Serve()
		most = max(most, descriptors(t)-b.before)
		passed += b.pass(t)
	}
	b.ended(t, o)
	if e, ok := errors.AsType[*Error](o.err); !ok || e.Address != hangs || !errors.Is(o.err, unix.ETIMEDOUT) || passed != whole || most != mostRacing {
		t.Errorf("%d sockets, after %v: %v", most, passed, o.err)
	}
}

// Many that hang have a socket each, and few besides; each tries another address once others have ended.
func TestManyHang(t *testing.T) {
	const n = 20
	b := newBench(t, Proxy{}, nil)
	_, good := listening(t, loopback(0, 1), 8)
	hangs := hanging(t)
	b.before = descriptors(t)
	var all []*outcome
	for range n {
		all = append(all, b.dial(to(slices.Repeat([]netip.AddrPort{hangs}, 8)...)))
	}
	most := 0
	for range 2 * mostRacing {
		b.pass(t)
		b.set.Serve()
		most = max(most, descriptors(t)-b.before)
	}
	if most != n+mostBesides {
		t.Errorf("%d sockets of %d dials", most, n)
	}
	last := b.dial(to(hangs, good))
	for _, o := range all {
		o.cancel()
	}
	b.pass(t)
	if b.serve(t, last); last.err != nil || peer(t, last.fd) != good {
		t.Errorf("got %v", last.err)
	}
}

func TestCancel(t *testing.T) {
	b := newBench(t, Proxy{}, nil)
	hangs := hanging(t)
	b.before = descriptors(t)
	one, two := b.dial(to(hangs, hangs)), b.dial(to(hangs))
	b.pass(t)
	if n := descriptors(t) - b.before; n != 3 {
		t.Errorf("%d sockets", n)
	}
	one.cancel()
	if n := descriptors(t) - b.before; n != 1 || b.Next().IsZero() {
		t.Errorf("%d sockets", n)
	}
	b.Close()
	one.cancel()
	if n := descriptors(t) - b.before; n != 0 || one.calls+two.calls != 0 || !b.Next().IsZero() {
		t.Errorf("%d sockets, %d calls", n, one.calls+two.calls)
	}
}

// The process's limit of open files is an error of the dial, which says so.
func TestNoDescriptors(t *testing.T) {
	b := newBench(t, Proxy{}, nil)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: old.Max}); err != nil {
		t.Fatal(err)
	}
	o := b.dial(to(loopback(1, 1), loopback(2, 1)))
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &old); err != nil {
		t.Fatal(err)
	}
	b.ended(t, o)
	if !errors.Is(o.err, unix.EMFILE) || !strings.HasPrefix(o.err.Error(), "socket: ") {
		t.Errorf("got %v", o.err)
	}
}

func TestInterleave(t *testing.T) {
	four := func(n byte) netip.AddrPort { return loopback(1, n) }
	six := func(n byte) netip.AddrPort { return netip.AddrPortFrom(netip.AddrFrom16([16]byte{15: n}), 1) }
	mapped := netip.AddrPortFrom(netip.MustParseAddr("::ffff:127.0.0.9"), 1)
	for _, c := range []struct{ in, want []netip.AddrPort }{
		{nil, nil},
		{[]netip.AddrPort{four(1), four(2)}, []netip.AddrPort{four(1), four(2)}},
		{[]netip.AddrPort{four(1), four(2), six(1), mapped}, []netip.AddrPort{six(1), four(1), four(2), mapped}},
		{[]netip.AddrPort{six(1), six(2), six(3), four(1)}, []netip.AddrPort{six(1), four(1), six(2), six(3)}},
	} {
		if got := interleave(c.in, false); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.in, got, c.want)
		}
	}
}
