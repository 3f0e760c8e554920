package egress_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
)

// Each kind of refusal: its record, the flag that lets it, and its line for people; one line a launch holds, for
// only the first five are said.
func TestTold(t *testing.T) { both(t, testTold) }

func testTold(t *testing.T, in confinement) {
	s := newSite(t, "told.example.com").serve(t, 7, echo).serveTLS(t, 443)
	stranger, _ := newAddresses(t)
	know(t, "intra.told.example.com", name{Addresses: []netip.Addr{netip.MustParseAddr("10.99.1.1")}})
	know(t, "gone.told.example.com", name{Fails: true})
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{s.Name, s.Name + ":7", s.Name + ":9", "intra.told.example.com", "gone.told.example.com"}}}
	control := row{"what is allowed", act("tcp", s.Name+":7", "hello"), "hello", ""}
	for _, c := range []struct {
		row
		want denied
		line []string // what the line holds
	}{
		{row{"a name", act("lookup", "api.x.example.com"), "", "NXDOMAIN"},
			denied{Kind: "name", Host: "api.x.example.com", Flag: "--allow-domain api.x.example.com"},
			[]string{"network: api.x.example.com is not allowed", "--allow-domain api.x.example.com"}},
		{row{"a port", act("tcp", s.Name+":5432", "x"), "", "ECONNREFUSED"},
			denied{Kind: "port", Host: s.Name, Port: 5432, Flag: "--allow-domain " + s.Name + ":5432"},
			[]string{"network: " + s.Name + ":5432 is refused, only ", "--allow-domain " + s.Name + ":5432"}},
		{row{"an address", act("banner", stranger.String()+":443"), "", in.refused},
			denied{Kind: "address", Address: stranger.String(), Port: 443},
			[]string{"network: " + stranger.String() + ":443 is an address that no allowed name has", "resolves names itself"}},
		{row{"a private address", act("lookup", "intra.told.example.com"), "", "any"},
			denied{Kind: "private", Host: "intra.told.example.com", Flag: "--allow-private"},
			[]string{"network: intra.told.example.com resolves to a private address", "--allow-private"}},
		{in.datagram("UDP", s.Name+":443", "ECONNREFUSED")[0],
			denied{Kind: "udp", Host: s.Name, Port: 443}, []string{"network: udp 443 to " + s.Name + " is refused", "only TCP"}},
		{row{"a server name", act("tls", s.Name+":443", "evil.example", "whole"), "", "ECONNRESET"},
			denied{Kind: "server-name", Host: s.Name, Port: 443, Asked: "evil.example"},
			[]string{"network: " + s.Name + ":443: ", "evil.example", "TLS server name"}},
		{row{"a host that refuses", act("read", s.Name+":9", "x"), "", in.refused},
			denied{Kind: "upstream", Host: s.Name, Port: 9, Errno: "ECONNREFUSED"},
			[]string{"network: " + s.Name + ":9: connection refused by the host itself"}},
		{row{"a name server that fails", act("lookup", "gone.told.example.com"), "", "SERVFAIL"},
			denied{Kind: "upstream", Host: "gone.told.example.com"}, []string{"network: gone.told.example.com"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			again := c.row
			again.name += ", again"
			e := l.rows(t, control, row{"its address", act("lookup", s.Name), "", ""}, c.row, again)
			d := e.told(t, c.want)
			if c.want.Flag == "" && d.Flag != "" {
				t.Errorf("flag %q opens nothing", d.Flag)
			}
			count := int64(0)
			for _, n := range e.Counts {
				if n.Kind == c.want.Kind && n.Host == c.want.Host && n.Port == d.Port {
					count += n.Count
				}
			}
			if count < 2 {
				t.Errorf("the last line counts %d of it: %+v", count, e.Counts)
			}
			lines := slices.DeleteFunc(e.lines(), func(s string) bool { return !strings.HasPrefix(s, "network: ") })
			if len(lines) != 1 || slices.ContainsFunc(c.line, func(part string) bool { return !strings.Contains(lines[0], part) }) {
				t.Errorf("said %q, want one line with %q", lines, c.line)
			}
			e.flows(t, flow{s.Name, 7, 1, 5, 5})
		})
	}
}

// What is allowed and goes well is not told as refused, and its connections and bytes are counted.
func TestNothingToTell(t *testing.T) { both(t, testNothingToTell) }

func testNothingToTell(t *testing.T, in confinement) {
	s := newSite(t, "fine.example.com").serve(t, 7, echo)
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{s.Name + ":7"}}}
	e := l.rows(t, row{"once", act("tcp", s.Name+":7", "hello"), "hello", ""}, row{"twice", act("tcp", s.Name+":7", "again!"), "again!", ""})
	if len(e.Denied)+len(e.Counts) > 0 || len(e.lines()) > 0 {
		t.Errorf("denied %+v, %+v, said %q", e.Denied, e.Counts, e.lines())
	}
	e.flows(t, flow{s.Name, 7, 2, 11, 11})
}

// A name that the machine's search list makes of an allowed one is asked for by the server's own resolver in reduced, and
// is no refusal to tell. In full the server has no such list.
func TestSearchList(t *testing.T) { both(t, testSearchList) }

func testSearchList(t *testing.T, in confinement) {
	resolvConf(t, "nameserver", "search corp.example.com\nnameserver")
	const completed, other = ".corp.example.com", "other.example.com"
	s := newSite(t, "fine.example.com").serve(t, 7, echo)
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{s.Name + ":7"}}}
	e := l.rows(t, row{"once", act("tcp", s.Name+":7", "hello"), "hello", ""},
		row{"completed", act("lookup", s.Name+completed+"."), "", "NXDOMAIN"},
		row{"another", act("lookup", other+completed+"."), "", "NXDOMAIN"})
	want := []string{other + completed}
	if in.name == full.name {
		want = []string{s.Name + completed, other + completed}
	}
	var told []string
	for _, d := range e.Denied {
		told = append(told, d.Host)
	}
	if !slices.Equal(told, want) {
		t.Errorf("told of %q, want %q", told, want)
	}
}

// At most 256 records and five lines, whatever is refused; the rest is counted.
func TestFloodOfRefusals(t *testing.T) { both(t, testFloodOfRefusals) }

func testFloodOfRefusals(t *testing.T, in confinement) {
	const names = 1000
	var packets []string
	for i := range names {
		packets = append(packets, query("n"+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))+".flood.example.com", typeA))
	}
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{"flood.example.com"}}}
	newSite(t, "flood.example.com").serve(t, 80, whoami("flood"))
	var rows []row
	for some := range slices.Chunk(packets, names/4) { // of more answers a client without a network of its own has to read
		rows = append(rows, row{"so many names", act(append([]string{"packet", "tcp", sandbox4 + ":53"}, some...)...), "", ""})
	}
	e := l.rows(t, append(rows, row{"an allowed one then", act("banner", "flood.example.com:80"), "220 flood", ""})...)
	if n := len(e.Denied); n == 0 || n > 256 {
		t.Errorf("%d records", n)
	}
	if n := len(e.lines()); n == 0 || n > 6 { // and one that says so
		t.Errorf("%d lines", n)
	}
	if all := asked("flood.example.com"); len(all) > 4 {
		t.Errorf("asked upstream %d times", len(all))
	}
}
