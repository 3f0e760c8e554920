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

// refusal is the first one of a kind.
func (w *world) refusal(kind order.DeniedKind) *order.Denied {
	for i := range w.said {
		if w.said[i].Kind == kind {
			return &w.said[i]
		}
	}
	return nil
}

// No flag is told for what a denial closes: none would open it.
func TestFlagsOfPorts(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{
		AllowedDomains: []string{"api.test:80", "192.0.2.7:80", "192.0.2.8:80"}, DeniedDomains: []string{"192.0.2.7:443"}})
	for i, c := range []struct{ to, flag string }{
		{"192.0.2.7", ""}, {"192.0.2.8", "--allow-domain 192.0.2.8:443"},
		{w.handle("api.test", "203.0.113.10").String(), "--allow-domain api.test:443"},
	} {
		fd := w.connect(netip.MustParseAddr(c.to), 443)
		w.until("a refusal", func() bool { return len(w.said) > i })
		if d := w.said[i]; d.Kind != order.DeniedPort || d.Flag != c.flag {
			t.Errorf("%s: %+v, want the flag %q", c.to, d, c.flag)
		}
		if _, err := w.read(fd); err != unix.ECONNRESET {
			t.Errorf("%s: %v", c.to, err)
		}
		unix.Close(fd)
	}
}

// A TLS client that begins and says no more is reset when its time is over, and nothing of it went out.
func TestHelloTime(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	upstream := w.server(443)
	fd := w.connect(w.handle("api.test", "203.0.113.10"), 443)
	w.until("connected", func() bool { _, err := unix.Write(fd, []byte(begunHello)); return err == nil })
	w.until("the hello has begun", func() bool { return len(w.accepter.begun) == 1 })
	out, _, err := unix.Accept4(upstream, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	w.must(err)
	w.accepter.due(w.accepter.next().Add(-time.Millisecond))
	if w.accepter.living != 1 {
		t.Error("reset before its time")
	}
	w.accepter.due(w.accepter.next())
	for what, end := range map[string]int{"inside": fd, "outside": out} {
		if text, err := w.read(end); text != "" || err != unix.ECONNRESET {
			t.Errorf("%s: %q, %v", what, text, err)
		}
		unix.Close(end)
	}
	if d := w.refusal(order.DeniedServerName); d == nil || d.Host != "api.test" || d.Port != 443 || d.Asked != "" {
		t.Errorf("%+v", d)
	}
	if w.accepter.living != 0 || !w.accepter.next().IsZero() || len(w.accepter.alone) != 0 {
		t.Errorf("%d live, %d alone", w.accepter.living, len(w.accepter.alone))
	}
}

// A connection that goes while its host is dialled takes the dial along; one whose host refuses is reset.
func TestDialsEnd(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"api.test", "slow.test"}})
	slow := w.connect(w.handle("slow.test", "203.0.113.11"), 80)
	w.until("one", func() bool { return w.accepter.living == 1 })
	reset(slow)
	w.until("none", func() bool { return w.accepter.living == 0 })
	fd := w.connect(w.handle("api.test", "203.0.113.10"), 80) // nobody listens there
	if _, err := w.read(fd); err != unix.ECONNRESET {
		t.Error(err)
	}
	unix.Close(fd)
	if d := w.refusal(order.DeniedUpstream); d == nil || d.Host != "api.test" || d.Port != 80 || d.Errno != "ECONNREFUSED" {
		t.Errorf("%+v", d)
	}
	if at := w.accepter.dialer.Next(); w.accepter.living != 0 || !at.IsZero() || len(w.accepter.alone) != 0 {
		t.Errorf("%d live, a dial until %v", w.accepter.living, at)
	}
}

// 512 connections are the most; each that ends makes room.
func TestMostConnections(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"slow.test"}})
	to := w.handle("slow.test", "203.0.113.11")
	var all []int
	for range mostConnections {
		all = append(all, w.connect(to, 80))
	}
	w.until("all", func() bool { return w.accepter.living == mostConnections })
	over := w.connect(to, 80)
	if _, err := w.read(over); err != unix.ECONNRESET {
		t.Error(err)
	}
	if d := w.refusal(order.DeniedLimit); d == nil || d.Asked != limitConnections {
		t.Errorf("%+v", d)
	}
	reset(all[0])
	w.until("room", func() bool { return w.accepter.living == mostConnections-1 })
	all[0] = w.connect(to, 80)
	w.until("the room is taken", func() bool { return w.accepter.living == mostConnections })
	for _, fd := range append(all, over) {
		reset(fd)
	}
	w.until("none", func() bool { return w.accepter.living == 0 })
}

// Once the server has ended, a connection that waits for its host is waited for only if the server said something there.
func TestFinishWaitsForBytes(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"slow.test"}})
	to := w.handle("slow.test", "203.0.113.11")
	mute, speaks := w.connect(to, 80), w.connect(to, 80)
	w.until("both", func() bool { return w.accepter.living == 2 })
	_, err := unix.Write(speaks, []byte("last words"))
	w.must(err)
	unix.Close(mute)
	unix.Close(speaks)
	w.Finish(time.Now().Add(50*time.Millisecond), unix.Poll)
	if w.accepter.living != 1 {
		t.Errorf("%d are waited for", w.accepter.living)
	}
}

// A service that is refused is told by the name of its host, which is the one that the flag has to allow.
func TestServiceIsToldByItsHost(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"api.test"}})
	w.ask("_mongodb._tcp.other.test", dnsmessage.TypeSRV)
	if d := w.refusal(order.DeniedName); d == nil || d.Host != "other.test" || d.Flag != "--allow-domain other.test" {
		t.Errorf("%+v", d)
	}
}

// What is told to type for a name that is looked up is an entry that a policy takes: localhost has none without a port,
// and no entry opens a name below it.
func TestFlagOfLocalhost(t *testing.T) {
	w := newWorld(t, apiHost, onlyAPI())
	for name, want := range map[string]string{"localhost": "--allow-domain localhost:PORT", "db.localhost": "",
		"localhost.other.test": "--allow-domain localhost.other.test"} {
		w.said = nil
		w.ask(name, dnsmessage.TypeA)
		if d := w.refusal(order.DeniedName); d == nil || d.Host != name || d.Flag != want {
			t.Errorf("%+v, want %s", d, want)
		}
	}
}
