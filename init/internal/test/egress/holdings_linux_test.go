package egress_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// What the launcher listens with is not the server's: not to bind beside, not to hold; attacks 29, 30 and 43.
func TestSocketsOfTheLauncher(t *testing.T) { both(t, testSocketsOfTheLauncher) }

func testSocketsOfTheLauncher(t *testing.T, in confinement) {
	s := newSite(t, "held.example.com").serve(t, 8080, whoami("held"))
	l := launch{in: in, network: network{Allowed: []string{s.Name, s.Name + ":8080"}}}
	rows := []row{
		{"the port reached", act("banner", s.Name+":8080"), "220 held", ""},
		{"a port of its own", act("bind", "tcp", "127.0.0.1:8081"), "", in.listen},
		{"UDP of its own", act("bind", "udp", "127.0.0.1:5353"), "", ""},
		{"DNS by UDP", act("bind", "udp", sandbox4+":53"), "", in.taken},
		{"DNS of loopback", act("bind", "udp", "127.0.0.1:53"), "", in.taken},
		{"DNS by TCP", act("bind", "tcp", ":53"), "", cmp.Or(in.taken, in.listen)},
		{"443", act("bind", "tcp", "127.0.0.1:443"), "", cmp.Or(in.taken, in.listen)},
		{"a port of the list", act("bind", "tcp", "127.0.0.1:8080"), "", cmp.Or(in.taken, in.listen)},
		{"a port of the list, every address", act("bind", "tcp", ":8080"), "", cmp.Or(in.taken, in.listen)},
		{"descriptors", act("descriptors"), "", ""},
		{"the port reached again", act("banner", s.Name+":8080"), "220 held", ""},
	}
	if world.HasIPv6() {
		rows = append(rows, row{"a port of the list, IPv6", act("bind", "tcp", "[::1]:8080"), "", cmp.Or(in.taken, in.listen)})
	}
	e := l.rows(t, rows...)
	sockets := 0
	for _, d := range e.Results[9].All {
		if strings.Contains(d, "socket:") {
			sockets++
		}
	}
	// Those that Go's own poller has are none; standard input is no socket here.
	if sockets > 0 {
		t.Errorf("the server holds %q", e.Results[9].All)
	}
}

// UDP is refused at once, on every address and port but DNS; attack 26. No ICMP error is sent about what is sent to a group
// of multicast (mDNS) or to all (RFC 1122, section 3.2.2): there the send itself fails, if not the connect.
func TestUDP(t *testing.T) { both(t, testUDP) }

func testUDP(t *testing.T, in confinement) {
	s := newSite(t, "udp.example.com").serve(t, 443, whoami("udp"))
	l := launch{in: in, network: network{Allowed: []string{s.Name}}}
	rows := []row{{"TCP", act("banner", s.Name+":443"), "220 udp", ""}}
	for _, c := range []struct{ name, at, errno string }{
		{"mDNS", "224.0.0.251:5353", "EHOSTUNREACH"},
		{"SSDP", "239.255.255.250:1900", "EHOSTUNREACH"},
		{"all", "255.255.255.255:67", "EHOSTUNREACH"},
		{"mDNS by IPv6", "[ff02::fb%lo]:5353", "EHOSTUNREACH"},
		{"a wider group by IPv6", "[ff05::fb]:5353", "EHOSTUNREACH"},
		{"QUIC", s.Name + ":443", "ECONNREFUSED"},
		{"NTP", "203.0.113.99:123", "ECONNREFUSED"},
		{"the sandbox itself", sandbox4 + ":443", "ECONNREFUSED"},
	} {
		if !strings.HasPrefix(c.at, "[") || world.HasIPv6() {
			rows = append(rows, in.datagram(c.name, c.at, c.errno)...)
		}
	}
	heard := s.hear(t, 443)
	e := l.rows(t, rows...)
	outside(t, nil, act("udp-sent", s.V4.String()+":443", "from outside"))
	if first := testbed.Receive(t, "the datagram from outside", heard); first != "from outside" {
		t.Errorf("the host got %q first", first)
	}
	e.told(t, denied{Kind: "udp", Host: s.Name, Port: 443})
	e.told(t, denied{Kind: "udp", Address: "203.0.113.99", Port: 123})
}

// Attack 42: a client whose port is the one it dials would talk to itself; from the sandbox's own address it does not.
func TestSelfConnect(t *testing.T) { both(t, testSelfConnect) }

func testSelfConnect(t *testing.T, in confinement) {
	s := newSite(t, "self.example.com").serve(t, 7, whoami("self"))
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	l.rows(t,
		row{"the host", act("banner", s.Name+":7"), "220 self", ""},
		row{"from the same port", act("from", "5123", s.V4.String()+":5123"), "", "ECONNREFUSED"})
}
