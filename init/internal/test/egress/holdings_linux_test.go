package egress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// What the launcher listens with is not the server's: not to bind beside, not to hold; attacks 29, 30 and 43.
func TestSocketsOfTheLauncher(t *testing.T) {
	s := newSite(t, "held.example.com").serve(t, 8080, whoami("held"))
	l := launch{network: network{Allowed: []string{s.Name, s.Name + ":8080"}}}
	rows := []row{
		{"the port reached", act("banner", s.Name+":8080"), "220 held", ""},
		{"a port of its own", act("bind", "tcp", "127.0.0.1:8081"), "", ""},
		{"UDP of its own", act("bind", "udp", "127.0.0.1:5353"), "", ""},
		{"DNS by UDP", act("bind", "udp", sandbox4+":53"), "", "EACCES|EADDRINUSE"},
		{"DNS of loopback", act("bind", "udp", "127.0.0.1:53"), "", "EACCES|EADDRINUSE"},
		{"DNS by TCP", act("bind", "tcp", ":53"), "", "EACCES|EADDRINUSE"},
		{"443", act("bind", "tcp", "127.0.0.1:443"), "", "EACCES|EADDRINUSE"},
		{"a port of the list", act("bind", "tcp", "127.0.0.1:8080"), "", "EADDRINUSE"},
		{"a port of the list, every address", act("bind", "tcp", ":8080"), "", "EADDRINUSE"},
		{"descriptors", act("descriptors"), "", ""},
		{"the port reached again", act("banner", s.Name+":8080"), "220 held", ""},
	}
	if world.HasIPv6() {
		rows = append(rows, row{"a port of the list, IPv6", act("bind", "tcp", "[::1]:8080"), "", "EADDRINUSE"})
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
func TestUDP(t *testing.T) {
	s := newSite(t, "udp.example.com").serve(t, 443, whoami("udp"))
	l := launch{network: network{Allowed: []string{s.Name}}}
	rows := []row{
		{"TCP", act("banner", s.Name+":443"), "220 udp", ""},
		{"mDNS", act("udp", "224.0.0.251:5353"), "", "EHOSTUNREACH"},
		{"SSDP", act("udp", "239.255.255.250:1900"), "", "EHOSTUNREACH"},
		{"all", act("udp", "255.255.255.255:67"), "", "EHOSTUNREACH"},
	}
	if world.HasIPv6() {
		rows = append(rows, row{"mDNS by IPv6", act("udp", "[ff02::fb%lo]:5353"), "", "EHOSTUNREACH"},
			row{"a wider group by IPv6", act("udp", "[ff05::fb]:5353"), "", "EHOSTUNREACH"})
	}
	e := l.rows(t, append(rows,
		row{"QUIC", act("udp", s.Name+":443"), "", "ECONNREFUSED"},
		row{"NTP", act("udp", "203.0.113.99:123"), "", "ECONNREFUSED"},
		row{"the sandbox itself", act("udp", sandbox4+":443"), "", "ECONNREFUSED"})...)
	e.told(t, denied{Kind: "udp", Host: s.Name, Port: 443})
	e.told(t, denied{Kind: "udp", Address: "203.0.113.99", Port: 123})
}

// Attack 42: a client whose port is the one it dials would talk to itself; from the sandbox's own address it does not.
func TestSelfConnect(t *testing.T) {
	s := newSite(t, "self.example.com").serve(t, 7, whoami("self"))
	l := launch{network: network{Allowed: []string{s.Name + ":7"}}}
	l.rows(t,
		row{"the host", act("banner", s.Name+":7"), "220 self", ""},
		row{"from the same port", act("from", "5123", s.V4.String()+":5123"), "", "ECONNREFUSED"})
}

// A confinement that cannot hold a list says so, unless the policy itself is content with it; then it has no network.
func TestListNotHeld(t *testing.T) {
	list := network{Allowed: []string{"x.example.com"}}
	run := startRefused(t, launch{Launch: host.Launch{Begin: "reduced"}, network: list})
	said := fmt.Sprintf("%s%s", run.Lines, &run.Stderr)
	if run.Code != 125 || run.Exited.Event != "refused" || !strings.Contains(said, "allowedDomains") {
		t.Errorf("code %d, %s", run.Code, said)
	}
	content := launch{Launch: host.Launch{Begin: "reduced", Run: true}, network: list, Least: "reduced"}
	e := content.command(t, "/bin/echo", "ran")
	if e.Code != 0 || e.Stdout.String() != "ran\n" || !strings.Contains(e.Stderr.String(), "network") {
		t.Errorf("code %d, %q, %s", e.Code, &e.Stdout, &e.Stderr)
	}
}
