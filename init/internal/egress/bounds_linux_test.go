package egress

import (
	"net/netip"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// No name gets an address that means something else: the sandbox's own, or an entry's.
func TestReservedAddresses(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"api.test", "192.0.2.7:22"}})
	for _, taken := range []netip.Addr{ownIPv4, netip.MustParseAddr("192.0.2.7")} {
		if a := w.handle("at-"+taken.String(), taken.String()); a == taken {
			t.Errorf("a name has %s", a)
		}
	}
	if a, want := w.handle("api.test", "203.0.113.10"), netip.MustParseAddr("203.0.113.10"); a != want {
		t.Errorf("%s, want %s", a, want)
	}
}

// refuses has the kernel refuse a connection of the server's to a port that no entry has.
func (w *world) refuses() {
	w.t.Helper()
	var fd int
	w.in(w.inside, func() { fd = w.socket(unix.SOCK_STREAM) })
	unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{192, 0, 2, 9}, Port: 81})
	unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 10_000)
	unix.Close(fd)
}

// What the proofs were refused is not told as the server's, though it is read only then.
func TestBeginForgetsProofs(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	w.denials.begun = false
	w.refuses()
	w.Begin()
	w.Serve()
	if len(w.said) != 0 {
		t.Errorf("%+v", w.said)
	}
	w.refuses()
	w.until("told", func() bool { return len(w.said) == 1 })
}

// Serve does what is due: here, the end of the time for a server name.
func TestServeIsDue(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	w.server(443)
	fd := w.connect(w.handle("api.test", "203.0.113.10"), 443)
	w.until("written", func() bool { _, err := unix.Write(fd, []byte(begunHello)); return err == nil })
	w.until("begun", func() bool { return len(w.accepter.begun) == 1 })
	w.accepter.begun[0].deadline = time.Now()
	w.Serve()
	if w.accepter.living != 0 {
		t.Error("its time is over, and it lives")
	}
	unix.Close(fd)
}

// Only the port of an entry is the machine's own loopback.
func TestPortsOfLocalhost(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"localhost:443"}})
	w.server(443)
	w.server(80)
	loopback := netip.MustParseAddr("127.0.0.1")
	for _, c := range []struct {
		port uint16
		open bool
	}{{80, false}, {443, true}} {
		fd := w.connect(loopback, c.port)
		if c.open {
			w.until("joined", func() bool { return w.accepter.relay.Live() == 1 })
		} else if _, err := w.read(fd); err != unix.ECONNRESET {
			t.Errorf("port %d: %v", c.port, err)
		}
		unix.Close(fd)
	}
	if d := w.refusal(order.DeniedPort); d == nil || d.Host != "localhost" || d.Port != 80 || len(w.said) != 1 {
		t.Errorf("%+v", w.said)
	}
}

// A name with private addresses has none inside, and a connection by its handle of before is reset.
func TestPrivateIsNotDialled(t *testing.T) {
	w := newWorld(t, "10.1.2.3 intra.test\n", policy.Network{AllowedDomains: []string{"intra.test"}})
	w.server(80)
	if a, waits := w.ask("intra.test", dnsmessage.TypeA); waits || a.Code != dnsmessage.RCodeSuccess || len(a.Addresses) != 0 {
		t.Errorf("%+v, waits %v", a, waits)
	}
	fd := w.connect(w.handle("intra.test", "203.0.113.10"), 80)
	if _, err := w.read(fd); err != unix.ECONNRESET {
		t.Error(err)
	}
	unix.Close(fd)
	if d := w.refusal(order.DeniedPrivate); d == nil || d.Host != "intra.test" || d.Flag != "--allow-private" || len(w.said) != 1 {
		t.Errorf("%+v", w.said)
	}
}

// A connection that goes while its host does not answer takes the dial along.
func TestDialIsCancelled(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	full := w.socket(unix.SOCK_STREAM)
	defer unix.Close(full)
	w.must(unix.Bind(full, &unix.SockaddrInet4{Port: 80}))
	w.must(unix.Listen(full, 0))
	for range 2 { // of which the queue takes one, and drops what comes then
		fd := w.socket(unix.SOCK_STREAM)
		defer unix.Close(fd)
		unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: 80})
	}
	fd := w.connect(w.handle("api.test", "203.0.113.10"), 80)
	w.until("a dial", func() bool { return !w.accepter.dialer.Next().IsZero() })
	reset(fd)
	w.until("none lives", func() bool { return w.accepter.living == 0 })
	if at := w.accepter.dialer.Next(); !at.IsZero() || len(w.said) != 0 {
		t.Errorf("a dial until %s, %+v", at, w.said)
	}
}

// Once the server has ended its last words go out, and a host that says no more is not waited for.
func TestFinishWaitsForNoHost(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	listener := w.server(80)
	fd := w.connect(w.handle("api.test", "203.0.113.10"), 80)
	w.until("joined", func() bool { return w.accepter.relay.Live() == 1 })
	_, err := unix.Write(fd, []byte("last words"))
	w.must(err)
	unix.Close(fd)
	w.Finish(time.Now().Add(10*time.Second), unix.Poll)
	if w.accepter.living != 0 {
		t.Errorf("%d are waited for", w.accepter.living)
	}
	out, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	w.must(err)
	b := make([]byte, 64)
	if n, err := unix.Read(out, b); string(b[:max(n, 0)]) != "last words" {
		t.Errorf("%q, %v", b[:max(n, 0)], err)
	}
	unix.Close(out)
}

// Where no file can be opened any more a connection is reset, and does not wait in the queue for ever.
func TestNoFilesLeft(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	c := w.dnsByTCP()
	fd, asks := w.connect(w.handle("api.test", "203.0.113.10"), 80), w.connect(netip.MustParseAddr("192.0.2.53"), 53)
	var old unix.Rlimit
	w.must(unix.Getrlimit(unix.RLIMIT_NOFILE, &old))
	var fill []int
	w.must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 100, Max: old.Max}))
	for {
		f, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			break
		}
		fill = append(fill, f)
	}
	w.Serve()
	c.asked.accept(c.listener)
	w.Serve()
	w.must(unix.Setrlimit(unix.RLIMIT_NOFILE, &old))
	for _, f := range fill {
		unix.Close(f)
	}
	for what, fd := range map[string]int{"to a host": fd, "with questions": asks} {
		if _, err := unix.Read(fd, make([]byte, 1)); err != unix.ECONNRESET {
			t.Errorf("%s: %v", what, err)
		}
		unix.Close(fd)
	}
	if d := w.refusal(order.DeniedLimit); d == nil || d.Asked != limitFiles || w.accepter.living != 0 {
		t.Errorf("%+v", d)
	}
	if !w.accepter.from.reserve.Held() {
		t.Error("no descriptor is held for the next one")
	}
}

// Close ends connections with questions as well.
func TestCloseEndsQuestions(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	c := w.dnsByTCP()
	fd := c.dial()
	if len(w.asked.long) != 1 {
		t.Fatal(w.asked.long)
	}
	w.Close()
	if n, err := unix.Read(fd, make([]byte, 1)); n != 0 || err != nil || len(w.asked.long) != 0 {
		t.Errorf("%d, %v, %d are open", n, err, len(w.asked.long))
	}
}
