package egress

import (
	"net/netip"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A TLS client may ask for a name that the policy opens on this connection's port: an entry with another port opens
// nothing here, and neither does one that a denial closes.
func TestServerNames(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{
		AllowedDomains: []string{"api.test", "b.test:5432", "*.wide.test:8443", "*.star.test", "denied.test", "shut.test"},
		DeniedDomains:  []string{"denied.test", "shut.test:443"}})
	upstream := w.server(443)
	to := w.handle("api.test", "203.0.113.10")
	for name, open := range map[string]bool{"api.test": true, "API.Test": true, "a.star.test": true, "b.test": false,
		"a.wide.test": false, "denied.test": false, "shut.test": false, "star.test": false, "other.test": false, "203.0.113.10": false} {
		w.said = nil
		fd, hello := w.connect(to, 443), handshakeRecord(helloOf(name))
		w.until("connected", func() bool { _, err := unix.Write(fd, []byte(hello)); return err == nil })
		out := -1
		w.until("accepted", func() (ok bool) {
			var err error
			out, _, err = unix.Accept4(upstream, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
			return err == nil
		})
		text, err := w.read(out)
		d := w.refusal(order.DeniedServerName)
		switch {
		case open && (text != hello || err != nil || d != nil):
			t.Errorf("%s: %d bytes, %v, %+v", name, len(text), err, d)
		case !open && (text != "" || err != unix.ECONNRESET || d == nil || d.Host != "api.test" || d.Asked != name):
			t.Errorf("%s: %d bytes, %v, %+v", name, len(text), err, d)
		}
		reset(fd)
		unix.Close(out)
	}
}

// An entry that is an address opens no address of the machine itself: it may be one that the machine has got since.
func TestOwnAddressIsNotDialled(t *testing.T) {
	w := newWorld(t, apiHost, policy.Network{AllowedDomains: []string{"203.0.113.50:80", "203.0.113.51:80"}})
	w.server(80)
	w.host.look()
	w.host.own = append(w.host.own, netip.MustParseAddr("203.0.113.50"))
	fd := w.connect(netip.MustParseAddr("203.0.113.51"), 80)
	w.until("another is joined", func() bool { return w.accepter.relay.Live() == 1 })
	own := w.connect(netip.MustParseAddr("203.0.113.50"), 80)
	w.until("decided", func() bool { return len(w.said) > 0 || w.accepter.relay.Live() > 1 })
	if _, err := unix.Read(own, make([]byte, 1)); err != unix.ECONNRESET {
		t.Error(err)
	}
	if d := w.refusal(order.DeniedPrivate); d == nil || d.Host != "203.0.113.50" || d.Flag != "" || len(w.said) != 1 {
		t.Errorf("%+v", w.said)
	}
	reset(fd)
	unix.Close(own)
}
