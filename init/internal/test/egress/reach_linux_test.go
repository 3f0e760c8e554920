package egress_test

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// What an entry opens, and nothing beside it.
func TestReach(t *testing.T) { both(t, testReach) }

func testReach(t *testing.T, in confinement) {
	a := newSite(t, "a.reach.example.com").serve(t, 7, whoami("a")).serve(t, 8, whoami("a8")).serveWeb(t, 80).serveTLS(t, 443)
	other := newSite(t, "other.reach.example.com").serve(t, 7, whoami("other")).serveWeb(t, 80)
	filed := &site{Name: world.InFile}
	filed.listen(t, world.FileAt+":7", whoami("filed"))
	ca := authorityFile(t)
	l := launch{in: in, network: network{Allowed: []string{a.Name, a.Name + ":7", world.InFile + ":7"}}, Given: []string{"SSL_CERT_FILE=" + ca}}
	rows := []row{
		{"a name and its port", act("banner", a.Name+":7"), "220 a", ""},
		{"case and a dot at the end", act("banner", "A.Reach.Example.com.:7"), "220 a", ""},
		{"IPv4", act("tcp", a.Name+":7", "220 a", "tcp4"), "220 a", ""},
		{"HTTP", act("get", "http://"+a.Name+"/x"), a.Name + ": GET " + a.Name + " /x", ""},
		{"HTTPS", act("get", "https://"+a.Name+"/x"), a.Name + ": GET " + a.Name + " /x", ""},
		{"a name of the hosts file", act("banner", world.InFile+":7"), "220 filed", ""},
		{"another port of the name", act("banner", a.Name+":8"), "", "ECONNREFUSED"},
		{"another name", act("banner", other.Name+":7"), "", "NXDOMAIN"},
		{"HTTP of another name", act("get", "http://"+other.Name+"/"), "", "NXDOMAIN"},
		{"the address of another", act("banner", other.V4.String()+":7"), "", in.refused},
		{"the address of another, a port of nobody's", act("banner", other.V4.String()+":9"), "", "ECONNREFUSED"},
		{"an address of the internet's", act("banner", "8.8.8.8:443"), "", in.refused},
		{"DNS over TLS", act("banner", "8.8.8.8:853"), "", "ECONNREFUSED"},
		{"the launcher's machine", act("banner", world.Machine4+":7"), "", in.refused},
		{"its name server", act("tcp", world.NameServer+":7", "x"), "", in.refused},
		{"a server of its own", act("own", "tcp", "127.0.0.1:0"), "to itself", in.listen},
	}
	if world.HasIPv6() {
		rows = append(rows,
			row{"IPv6", act("tcp", a.Name+":7", "220 a", "tcp6"), "220 a", ""},
			row{"the IPv6 address of another", act("banner", "["+other.V6.String()+"]:7"), "", in.refused},
			row{"a server of its own over IPv6", act("own", "tcp", "[::1]:0"), "to itself", in.listen})
	}
	e := l.rows(t, rows...)
	if n := other.Accepted.Load(); n != 0 {
		t.Errorf("the host that is not allowed had %d connections", n)
	}
	if q := asked(other.Name); len(q) != 0 {
		t.Errorf("of a name that is not allowed was asked upstream: %v", q)
	}
	in.proved(t, e, a.Name, world.InFile)
	for _, r := range outside(t, nil, act("banner", other.Name+":7"), act("banner", a.Name+":8")) {
		if r.Error != "" {
			t.Errorf("outside: %s", r)
		}
	}
}

// Attack 1: no list, and one without an entry, is no network, not even a name server.
func TestEmptyList(t *testing.T) { both(t, testEmptyList) }

func testEmptyList(t *testing.T, in confinement) {
	s := newSite(t, "empty.example.com").serve(t, 443, whoami("empty"))
	for _, l := range []launch{{}, {network: network{Allowed: []string{}}}, {network: network{Denied: []string{"x.example.com"}}}} {
		l.in = in
		e := l.rows(t,
			row{"the control", act("descriptors"), "", ""},
			row{"a name", act("lookup", s.Name), "", "any"},
			row{"a name at once, by the name server's address", act("packet", "udp", sandbox4+":53", query(s.Name, typeA)), "", in.none},
			row{"an address", act("banner", s.V4.String()+":443"), "", in.none},
			row{"itself", act("own", "tcp", "127.0.0.1:0"), "to itself", map[bool]string{true: in.none}[in.listen != ""]})
		if len(e.Egress) > 0 || len(asked(s.Name)) > 0 || s.Accepted.Load() > 0 {
			t.Errorf("%+v: egress %v, asked %v", l.network, e.Egress, asked(s.Name))
		}
	}
}

// Without a list a name that is looked up is told all the same, with the flag that would allow it.
func TestNoListTellsTheName(t *testing.T) {
	e := launch{Launch: host.Launch{Run: true}}.acts(t, act("lookup", "api.nolist.example.com"))
	if e.Results[0].Error == "" {
		t.Errorf("%s", e.Results[0])
	}
	e.told(t, denied{Kind: "name", Host: "api.nolist.example.com", Flag: "--allow-domain api.nolist.example.com"})
	if len(e.lines()) != 1 || !strings.Contains(e.lines()[0], "--allow-domain api.nolist.example.com") {
		t.Errorf("said %q", e.lines())
	}
}

// Without a list nothing answers, at once: neither the address that resolv.conf names, by either protocol, nor one further
// on; nobody is told of the machine's own name. The last question of a server that ends at once is told too.
func TestNoListRefusesAtOnce(t *testing.T) {
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	e := launch{Launch: host.Launch{Run: true}, Level: "strict"}.acts(t,
		act("tcp", sandbox4+":53", "x"), act("tcp", "203.0.113.9:53", "x"), act("udp", "203.0.113.9:53"), act("udp", "224.0.0.251:5353"),
		act("lookup", machine+"."), act("lookup", "Last.Nolist.example.com"))
	for i, want := range []string{"ECONNREFUSED", "ENETUNREACH", "ENETUNREACH", "ENETUNREACH"} {
		if e.Results[i].Error != want {
			t.Errorf("%s, want %s", e.Results[i], want)
		}
	}
	if r := e.Results[5]; r.Error == "" || len(e.Egress) > 0 {
		t.Errorf("%s, %v", r, e.Egress)
	}
	e.told(t, denied{Kind: "name", Host: "last.nolist.example.com", Flag: "--allow-domain last.nolist.example.com"})
	if len(e.Denied) != 1 {
		t.Errorf("%v", e.Denied)
	}
}

// Without raw sockets a list holds as ever, and refused ports are not told; without a list nothing is.
func TestNoRawSockets(t *testing.T) {
	s := newSite(t, "raw.example.com").serve(t, 7, echo)
	l := launch{Launch: host.Launch{Run: true}, lacks: []testbed.Lack{testbed.NoRawSockets}, network: network{Allowed: []string{s.Name + ":7"}}}
	e := l.rows(t, row{"what is allowed", act("tcp", s.Name+":7", "hello"), "hello", ""},
		row{"another port", act("tcp", s.Name+":5432", "x"), "", "ECONNREFUSED"}, row{"a name", act("lookup", "a.raw.example.com"), "", "NXDOMAIN"})
	if e.told(t, denied{Kind: "name", Host: "a.raw.example.com", Flag: "--allow-domain a.raw.example.com"}); len(e.Denied) != 1 {
		t.Errorf("%v", e.Denied)
	}
	l.network = network{}
	e = l.acts(t, act("lookup", "b.raw.example.com"))
	if e.Results[0].Error == "" || len(e.Denied) > 0 {
		t.Errorf("%s, %v", e.Results[0], e.Denied)
	}
}

// An entry that is an address opens that address, and no name to it.
func TestLiterals(t *testing.T) { both(t, testLiterals) }

func testLiterals(t *testing.T, in confinement) {
	a := newSite(t, "a.literal.example.com").serve(t, 7, whoami("a")).serve(t, 443, whoami("a443")).serve(t, 8, whoami("a8"))
	b := newSite(t, "b.literal.example.com").serve(t, 7, whoami("b"))
	private := &site{}
	private.listen(t, "10.99.0.6:7", whoami("private"))
	private.listen(t, "10.99.0.7:7", whoami("beside"))
	l := launch{in: in, network: network{Allowed: []string{a.V4.String(), a.V4.String() + ":7", "10.99.0.6:7"}}}
	rows := []row{
		{"its port", act("banner", a.V4.String()+":7"), "220 a", ""},
		{"443 without TLS's name", act("tls", a.V4.String()+":443", "-", "whole"), "", "any"}, // no TLS server there
		{"443 of a bare address", act("banner", a.V4.String()+":443"), "220 a443", ""},
		{"another port", act("banner", a.V4.String()+":8"), "", "ECONNREFUSED"},
		{"another address", act("banner", b.V4.String()+":7"), "", in.refused},
		{"a private address by itself", act("banner", "10.99.0.6:7"), "220 private", ""},
		{"the private address beside it", act("banner", "10.99.0.7:7"), "", in.refused},
		{"a name of that address", act("banner", a.Name+":7"), "", "NXDOMAIN"},
	}
	if world.HasIPv6() {
		l.Allowed = append(l.Allowed, "["+b.V6.String()+"]:7")
		rows = append(rows, row{"IPv6", act("banner", "["+b.V6.String()+"]:7"), "220 b", ""},
			row{"IPv6 of another", act("banner", "["+a.V6.String()+"]:7"), "", in.refused})
	}
	l.rows(t, rows...).flows(t, flow{Host: a.V4.String(), Port: 7, Connections: 1}, flow{Host: "10.99.0.6", Port: 7, Connections: 1})
}

// localhost:port is that port of the host's loopback, and no other; attacks 16 and 17.
func TestLocalhost(t *testing.T) { both(t, testLocalhost) }

func testLocalhost(t *testing.T, in confinement) {
	host := &site{}
	open, shut := freePort(t), freePort(t)
	for _, at := range []string{"127.0.0.1:", "[::1]:"} {
		if strings.Contains(at, "::") && !world.HasIPv6() {
			continue
		}
		host.listen(t, at+open, whoami("the host"))
		host.listen(t, at+shut, whoami("the host, shut"))
	}
	l := launch{in: in, network: network{Allowed: []string{"localhost:" + open}}}
	rows := []row{
		{"by name", act("banner", "localhost:"+open), "220 the host", ""},
		{"by address", act("banner", "127.0.0.1:"+open), "220 the host", ""},
		{"another port", act("banner", "localhost:"+shut), "", "ECONNREFUSED"},
		{"another port by address", act("banner", "127.0.0.1:"+shut), "", "ECONNREFUSED"},
		{"another address of the host's", act("banner", world.Machine4+":"+open), "", in.refused},
		{"a child of the name", act("lookup", "x.localhost"), "", "any"},
	}
	if world.HasIPv6() {
		rows = append(rows, row{"by IPv6", act("banner", "[::1]:"+open), "220 the host", ""},
			row{"another port by IPv6", act("banner", "[::1]:"+shut), "", "ECONNREFUSED"})
	}
	by := int64(2) // by name and by address
	if world.HasIPv6() {
		by++
	}
	l.rows(t, rows...).flows(t, flow{Host: "localhost", Port: must(t, open), Connections: by})
	for _, q := range asked("localhost") {
		t.Errorf("asked upstream: %s", q)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// Stars, and denials under them; attacks 5 and 39.
func TestStars(t *testing.T) { both(t, testStars) }

func testStars(t *testing.T, in confinement) {
	for _, n := range []string{"a.star", "b.c.star", "star", "bad.star", "sub.bad.star", "ported.star", "notstar", "deep.shut.star", "shut.star"} {
		newSite(t, n+".example.com").serve(t, 80, whoami(n)).serve(t, 8, whoami(n+" 8"))
	}
	l := launch{in: in, network: network{
		Allowed: []string{"*.star.example.com", "*.star.example.com:8"},
		Denied:  []string{"bad.star.example.com", "ported.star.example.com:8", "*.shut.star.example.com"},
	}}
	e := l.rows(t,
		row{"a child", act("banner", "a.star.example.com:80"), "220 a.star", ""},
		row{"a grandchild", act("banner", "b.c.star.example.com:8"), "220 b.c.star 8", ""},
		row{"the name itself", act("banner", "star.example.com:80"), "", "NXDOMAIN"},
		row{"a name that ends alike", act("banner", "notstar.example.com:80"), "", "NXDOMAIN"},
		row{"a name that continues", act("banner", "a.star.example.com.evil.example:80"), "", "NXDOMAIN"},
		row{"a denied child", act("banner", "bad.star.example.com:80"), "", "NXDOMAIN"},
		row{"a child of a denied name", act("banner", "sub.bad.star.example.com:80"), "220 sub.bad.star", ""},
		row{"a port that is denied", act("banner", "ported.star.example.com:8"), "", "ECONNREFUSED|ECONNRESET"},
		row{"another port of the same", act("banner", "ported.star.example.com:80"), "220 ported.star", ""},
		row{"below a denied star", act("banner", "deep.shut.star.example.com:80"), "", "NXDOMAIN"},
		row{"beside a denied star", act("banner", "shut.star.example.com:80"), "220 shut.star", ""})
	for _, n := range []string{"bad.star.example.com", "notstar.example.com", "evil.example"} {
		if q := asked(n); slices.ContainsFunc(q, func(q string) bool { return strings.HasPrefix(q, n) }) {
			t.Errorf("asked upstream: %v", q)
		}
	}
	e.told(t, denied{Kind: "name", Host: "bad.star.example.com"})
}
