package egress

import (
	"fmt"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dns"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

const apiHost = "203.0.113.10 api.test\n"

func onlyAPI() policy.Network { return policy.Network{AllowedDomains: []string{"api.test"}} }

// A closed engine uses no number of a descriptor that was its own: another has it. So it is with an engine whose launch
// was refused, when the next confinement is tried.
func TestBeginAfterClose(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	tap := w.taps[0].FD
	w.Close()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	w.must(err)
	if pair[1] != tap {
		w.must(unix.Dup3(pair[1], tap, unix.O_CLOEXEC))
	}
	_, err = unix.Write(pair[0], []byte("for another"))
	w.must(err)
	w.Begin()
	w.Finish(time.Now().Add(time.Second), unix.Poll)
	b := make([]byte, 64)
	if n, _, err := unix.Recvfrom(tap, b, unix.MSG_DONTWAIT); string(b[:max(n, 0)]) != "for another" {
		t.Errorf("%q, %v: the closed engine has read it", b[:max(n, 0)], err)
	}
}

// Close resets each connection, of which those may be that wait for a name or a host.
func TestCloseResetsAll(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"api.test", "slow.test"}})
	listener := w.server(80)
	joined := w.connect(w.handle("api.test", "203.0.113.10"), 80)
	waits := w.connect(w.handle("slow.test", "203.0.113.11"), 80)
	w.until("two connections", func() bool { return w.accepter.living == 2 && w.accepter.relay.Live() == 1 })
	w.Close()
	for what, fd := range map[string]int{"joined": joined, "waiting for a name": waits} {
		if _, err := unix.Read(fd, make([]byte, 1)); err != unix.ECONNRESET {
			t.Errorf("%s: %v, want %v", what, err, unix.ECONNRESET)
		}
		unix.Close(fd)
	}
	if w.accepter.living != 0 {
		t.Errorf("%d connections live", w.accepter.living)
	}
	_ = listener
}

// Connections that come and go while their name is looked up leave no more behind than a bound.
func TestWaitersAreBounded(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"slow.test"}})
	told := 0
	for range 20000 {
		w.lookups.get(resolve.Query{Name: "slow.test", Type: dnsmessage.TypeA}, func(a resolve.Answer) {
			if told++; a.Code != resolve.Failed {
				t.Errorf("%+v", a)
			}
		})
	}
	if waiting := 20000 - told; waiting > mostWaiters {
		t.Errorf("%d wait", waiting)
	}
}

// hello is the beginning of a ClientHello.
const begunHello = "\x16\x03\x01\x02\x00\x01"

// TLS clients that begin and go leave nothing behind.
func TestBegunIsBounded(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	w.server(443)
	to := w.handle("api.test", "203.0.113.10")
	first := w.connect(to, 443)
	_, err := unix.Write(first, []byte(begunHello))
	if err == unix.EAGAIN || err == unix.ENOTCONN {
		w.until("connected", func() bool { _, err = unix.Write(first, []byte(begunHello)); return err == nil })
	}
	w.until("the first has begun", func() bool { return len(w.accepter.begun) == 1 })
	for i := range 20 {
		fd := w.connect(to, 443)
		_, err := unix.Write(fd, []byte(begunHello))
		w.must(err)
		w.until(fmt.Sprintf("connection %d has begun", i), func() bool { return len(w.accepter.begun) > 1 })
		reset(fd)
		w.until("it has gone", func() bool { return w.accepter.living == 1 })
		if n := len(w.accepter.begun); n != 1 {
			t.Fatalf("%d have begun after %d that have gone", n, i+1)
		}
	}
	unix.Close(first)
}

// What the machine could not tell once is asked again.
func TestHostIsAskedAgain(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	var old unix.Rlimit
	w.must(unix.Getrlimit(unix.RLIMIT_NOFILE, &old))
	w.must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: old.Max}))
	w.host.look()
	w.must(unix.Setrlimit(unix.RLIMIT_NOFILE, &old))
	if w.host.failed == nil {
		t.Fatal("the machine told its addresses without a descriptor")
	}
	if w.host.look(); w.host.failed != nil {
		t.Error(w.host.failed)
	}
}

// ask is how a question is answered; waits tells that the host's resolver was asked, and has not answered.
func (w *world) ask(name string, kind dnsmessage.Type) (a dns.Answer, waits bool) {
	waits = true
	w.asked.answer(&dns.Question{Name: name, Type: kind, Class: dnsmessage.ClassINET}, func(got dns.Answer) { a, waits = got, false })
	return a, waits
}

// Labels of a service are the server's own, and go out: no more of them than of names below a star. A service has two.
func TestServicesAreNoTunnel(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"api.test", "*.wide.test"}})
	for _, host := range []string{"api.test", "x.wide.test"} {
		asked := 0
		for i := range 300 {
			if _, waits := w.ask(fmt.Sprintf("_secret%d._tcp.%s", i, host), dnsmessage.TypeSRV); waits {
				asked++
			}
		}
		if asked < 50 || asked > 110 {
			t.Errorf("%s: %d services were asked for outside", host, asked)
		}
	}
	for _, name := range []string{"_a._b._c.api.test", "_a._b._c._d._e.api.test", "_a.api.test", "_._tcp.api.test", "_a._tcp.other.test"} {
		if a, waits := w.ask(name, dnsmessage.TypeSRV); waits || a.Code != dnsmessage.RCodeNameError {
			t.Errorf("%s: %+v, %v", name, a, waits)
		}
	}
}
