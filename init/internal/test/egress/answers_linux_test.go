package egress_test

import (
	"encoding/hex"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
	"golang.org/x/net/dns/dnsmessage"
)

// What an allowed name is answered with: one address of each family that is this name's for the launch, and its name.
func TestAnswers(t *testing.T) { both(t, testAnswers) }

func testAnswers(t *testing.T, in confinement) {
	const below = ".answers.example.com"
	one := newSite(t, "one"+below).serve(t, 7, whoami("one"))
	many := newSite(t, "many"+below).serve(t, 7, whoami("many"))
	addresses := many.addresses()
	for i := range 30 {
		addresses = append(addresses, netip.AddrFrom4([4]byte{203, 0, 113, byte(220 + i)}))
	}
	know(t, many.Name, name{Addresses: addresses})
	know(t, "alias"+below, name{Alias: one.Name})
	know(t, "v4"+below, name{Addresses: one.addresses()[:1]})
	know(t, "fails"+below, name{Fails: true})
	know(t, "lies"+below, name{Addresses: one.addresses(), Lies: true})
	one.listen(t, net.JoinHostPort("203.0.113.219", "7"), whoami("liar"))
	target := func(n string) dnsmessage.SRVResource {
		return dnsmessage.SRVResource{Port: 7, Target: dnsmessage.MustNewName(n + ".")}
	}
	know(t, "_x._tcp.one"+below, name{Targets: []dnsmessage.SRVResource{target(one.Name), target("evil.example")}})
	var allowed []string
	for _, n := range []string{"one", "many", "alias", "v4", "fails", "lies", "nowhere"} {
		allowed = append(allowed, n+below+":7")
	}
	l := launch{in: in, network: network{Allowed: allowed}}
	e := l.rows(t,
		row{"many addresses", act("banner", many.Name+":7"), "220 many", ""},
		row{"an alias", act("banner", "alias"+below+":7"), "220 one", ""},
		row{"an answer after lies", act("banner", "lies"+below+":7"), "220 one", ""},
		row{"a name that does not exist", act("lookup", "nowhere"+below), "", "NXDOMAIN"},
		row{"a name server that fails", act("lookup", "fails"+below), "", "SERVFAIL"},
		row{"IPv6 of a name without", act("lookup", "v4"+below, "ip6"), "", "NXDOMAIN"},
		row{"one address", act("lookup", many.Name, "ip4"), "", ""},
		row{"the same again", act("lookup", many.Name, "ip4"), "", ""},
		row{"over TCP, two questions", act("packet", "tcp", sandbox4+":53", query(one.Name, typeA), query(one.Name, typeAAAA)), "", ""},
		row{"another name server", act("packet", "udp", "8.8.8.8:53", query(one.Name, typeA)), "", ""},
		row{"SRV", act("packet", "udp", sandbox4+":53", query("_x._tcp.one"+below, typeSRV)), "", ""},
		row{"the files", act("file", "/etc/resolv.conf"), in.resolvConf(t), ""})
	l.rows(t, append(in.datagram("another port of the name server", sandbox4+":54", "ECONNREFUSED"),
		row{"its own port", act("lookup", many.Name), "", ""})...)
	r := e.Results
	if len(r[6].All) != 1 || len(r[7].All) != 1 || r[6].All[0] != r[7].All[0] {
		t.Errorf("a name's address: %v, then %v", r[6].All, r[7].All)
	}
	if want := []int{1, len(one.addresses()) - 1}; len(r[8].All) == 2 {
		byType := map[dnsmessage.Type]int{}
		for _, text := range r[8].All {
			m := answered(t, text)
			byType[m.Questions[0].Type] = len(m.Answers)
		}
		if byType[dnsmessage.TypeA] != want[0] || byType[dnsmessage.TypeAAAA] != want[1] {
			t.Errorf("over TCP: %v", byType)
		}
	}
	for i := 9; i <= 10; i++ {
		if len(r[i].All) != 1 {
			t.Errorf("%v: answers %v, want one", r[i].Act, r[i].All)
			continue
		}
		if m := answered(t, r[i].All[0]); len(m.Answers) != 1 || m.Answers[0].Header.TTL > 60 || m.Answers[0].Header.TTL < 1 {
			t.Errorf("%v: %+v", r[i].Act, m)
		} else if srv, ok := m.Answers[0].Body.(*dnsmessage.SRVResource); ok != (i == 10) || ok && srv.Target.String() != one.Name+"." {
			t.Errorf("%v: %+v", r[i].Act, m.Answers[0])
		}
	}
	if q := asked(one.Name); len(q) > 4 { // A, AAAA, SRV, and once again when dialled
		t.Errorf("asked upstream more than once each: %q", q)
	}
}

// The address that a name is answered with belongs to that name, which PTR tells.
func TestReverse(t *testing.T) { both(t, testReverse) }

func testReverse(t *testing.T, in confinement) {
	s := newSite(t, "reverse.example.com").serve(t, 7, whoami("reverse"))
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	b := s.V4.As4()
	ptr := query(fmt.Sprintf("%d.%d.%d.%d.in-addr.arpa", b[3], b[2], b[1], b[0]), typePTR)
	e := l.acts(t, act("lookup", s.Name, "ip4"), act("packet", "udp", sandbox4+":53", ptr), act("reverse", s.V4.String()))
	if len(e.Results[0].All) != 1 || e.Results[0].All[0] != s.V4.String() {
		t.Fatalf("the name's address is %s, not the real one, which no other name has", e.Results[0])
	}
	if all := e.Results[2].All; len(all) != 1 || all[0] != s.Name+"." {
		t.Errorf("%s", e.Results[2])
	}
	if all := e.Results[1].All; len(all) != 1 || len(answered(t, all[0]).Answers) != 1 {
		t.Errorf("%s", e.Results[1])
	}
}

// Attack 41: two names of one real address, with different ports: neither gets the other's.
func TestTwoNamesOfOneAddress(t *testing.T) { both(t, testTwoNamesOfOneAddress) }

func testTwoNamesOfOneAddress(t *testing.T, in confinement) {
	s := newSite(t, "first.two.example.com").serve(t, 7, whoami("7")).serve(t, 8, whoami("8"))
	know(t, "second.two.example.com", name{Addresses: s.addresses()})
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7", "second.two.example.com:8"}}}
	e := l.rows(t,
		row{"the first", act("banner", s.Name+":7"), "220 7", ""},
		row{"the second", act("banner", "second.two.example.com:8"), "220 8", ""},
		row{"the second's port of the first", act("banner", s.Name+":8"), "", in.refused},
		row{"the first's port of the second", act("banner", "second.two.example.com:7"), "", in.refused},
		row{"an address", act("lookup", s.Name, "ip4"), "", ""},
		row{"another", act("lookup", "second.two.example.com", "ip4"), "", ""},
		row{"the second over IPv4", act("tcp", "second.two.example.com:8", "220 8", "tcp4"), "220 8", ""},
		row{"the second, whichever family comes first", act("tcp", "second.two.example.com:8", "220 8", secondFamily()), "220 8", ""})
	if a, b := e.Results[4].All, e.Results[5].All; len(a) != 1 || len(b) != 1 || a[0] == b[0] {
		t.Errorf("addresses %v and %v", a, b)
	}
}

func secondFamily() string {
	if world.HasIPv6() {
		return "tcp6"
	}
	return "tcp4"
}

// A question whose answer is slow does not hold up another.
func TestSlowName(t *testing.T) { both(t, testSlowName) }

func testSlowName(t *testing.T, in confinement) {
	until := make(chan struct{})
	quick := newSite(t, "quick.slow.example.com").serve(t, 7, func(c *net.TCPConn) {
		close(until)
		echo(c)
	})
	know(t, "late.slow.example.com", name{Addresses: quick.addresses(), Until: until})
	l := launch{in: in, network: network{Allowed: []string{quick.Name + ":7", "late.slow.example.com:7", quick.V4.String() + ":7"}}}
	e := l.rows(t, row{"two questions", act("packet-then", sandbox4+":53", quick.V4.String()+":7",
		query("late.slow.example.com", typeA), query(quick.Name, typeA)), "", ""})
	for i, want := range []string{quick.Name + ".", "late.slow.example.com."} {
		if all := e.Results[0].All; len(all) == 2 {
			if m := answered(t, all[i]); len(m.Answers) != 1 || m.Questions[0].Name.String() != want {
				t.Errorf("answer %d is %+v, want one about %s", i, m, want)
			}
		}
	}
}

// Attack 19: names below a star are a way out for a tunnel: after 100 at once they come one a second.
func TestTunnelByLabels(t *testing.T) { both(t, testTunnelByLabels) }

func testTunnelByLabels(t *testing.T, in confinement) {
	names := make([]string, 130)
	acts := make([]string, len(names))
	for i := range names {
		names[i] = "x" + hex.EncodeToString([]byte{byte(i)}) + ".tunnel.example.com"
		know(t, names[i], name{Addresses: []netip.Addr{netip.AddrFrom4([4]byte{198, 51, 100, byte(i)})}})
		acts[i] = act("packet", "udp", sandbox4+":53", query(names[i], typeA))
	}
	s := newSite(t, "exact.tunnel.example.com").serve(t, 80, whoami("exact"))
	l := launch{in: in, network: network{Allowed: []string{"*.tunnel.example.com", s.Name}}}
	e := l.acts(t, append(acts, act("banner", s.Name+":80"))...)
	found := 0
	for i := range names {
		if all := e.Results[i].All; len(all) == 1 && len(answered(t, all[0]).Answers) == 1 {
			found++
		}
	}
	if found < 100 || found >= len(names) {
		t.Errorf("%d of %d new names were answered", found, len(names))
	}
	if r := e.Results[len(names)]; r.Text != "220 exact" {
		t.Errorf("a name with an entry of its own after that: %s", r)
	}
	e.told(t, denied{Kind: "limit"})
	upstream := map[string]bool{}
	for _, q := range asked("tunnel.example.com") {
		upstream[q] = true
	}
	if len(upstream) > found+2 {
		t.Errorf("%d names were asked upstream, %d answered", len(upstream), found)
	}
}
