package match_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/policy"
)

func rules(allowed, denied string) *match.Rules {
	return match.New(&policy.Network{AllowedDomains: strings.Fields(allowed), DeniedDomains: strings.Fields(denied)})
}

func TestPort(t *testing.T) {
	for _, c := range []struct {
		allowed, denied, name string
		port                  uint16
		want                  match.Reason
	}{
		{"", "", "ok.com", 443, match.NotAllowed},
		{"ok.com", "", "ok.com", 443, match.Open},
		{"ok.com", "", "ok.com", 80, match.Open},
		{"ok.com", "", "ok.com", 22, match.WrongPort},
		{"ok.com:22", "", "ok.com", 22, match.Open},
		{"ok.com:22", "", "ok.com", 443, match.WrongPort},
		{"ok.com:22 ok.com", "", "ok.com", 443, match.Open},
		{"OK.com", "", "ok.com", 443, match.Open},
		// Whole labels.
		{"ok.com", "", "notok.com", 443, match.NotAllowed},
		{"ok.com", "", "ok.com.evil.net", 443, match.NotAllowed},
		{"ok.com", "", "www.ok.com", 443, match.NotAllowed},
		{"ok.com", "", "com", 443, match.NotAllowed},
		{"*.ok.com", "", "www.ok.com", 443, match.Open},
		{"*.ok.com", "", "a.b.c.ok.com", 443, match.Open},
		{"*.ok.com", "", "ok.com", 443, match.NotAllowed},
		{"*.ok.com", "", "notok.com", 443, match.NotAllowed},
		{"*.ok.com", "", "www.ok.com.evil.net", 443, match.NotAllowed},
		{"*.ok.com", "", "ok.com.ok.com", 443, match.Open},
		// A denial beats an allowance.
		{"*.ok.com", "bad.ok.com", "bad.ok.com", 443, match.Denied},
		{"*.ok.com", "bad.ok.com", "a.bad.ok.com", 443, match.Open},
		{"*.ok.com", "*.bad.ok.com", "a.bad.ok.com", 443, match.Denied},
		{"*.ok.com", "*.bad.ok.com", "bad.ok.com", 443, match.Open},
		{"a.bad.ok.com", "*.bad.ok.com", "a.bad.ok.com", 443, match.Denied},
		{"ok.com ok.com:22", "ok.com:22", "ok.com", 22, match.Denied},
		{"ok.com ok.com:22", "ok.com:22", "ok.com", 443, match.Open},
		{"*.ok.com", "bad.ok.com:80", "bad.ok.com", 80, match.Denied},
		{"*.ok.com", "bad.ok.com:80", "bad.ok.com", 443, match.Open},
		{"ok.com:22", "ok.com", "ok.com", 22, match.Denied},
		{"", "ok.com", "ok.com", 443, match.Denied},
		{"ok.com:22", "ok.com:22", "ok.com", 443, match.NotAllowed},
		// Names of localhost are never looked up.
		{"localhost:80", "", "localhost", 80, match.NotAllowed},
		{"x.localhost", "", "x.localhost", 80, match.NotAllowed},
		{"*.x.localhost", "", "y.x.localhost", 80, match.NotAllowed},
		{"notlocalhost", "", "notlocalhost", 80, match.Open},
		// Callers give canonical names; another is no name.
		{"ok.com", "", "OK.com", 443, match.NotAllowed},
		{"ok.com", "", "ok.com.", 443, match.NotAllowed},
		{"*.ok.com", "", ".ok.com", 443, match.NotAllowed},
		{"*.ok.com", "", "evil\x00.ok.com", 443, match.NotAllowed},
		{"*.ok.com", "", "::ffff:1.2.3.4%x.ok.com", 443, match.NotAllowed},
		// An entry that cannot be read.
		{"https://ok.com ok.com", "", "ok.com", 443, match.Open},
		{"ok.com", "https://bad.com", "ok.com", 443, match.NotAllowed},
	} {
		r := rules(c.allowed, c.denied)
		if got := r.Port(c.name, c.port); got != c.want {
			t.Errorf("allowed %q denied %q: %q port %d is %d, want %d", c.allowed, c.denied, c.name, c.port, got, c.want)
		}
		if open := slices.Contains(r.PortsOf(c.name), c.port); open != (c.want == match.Open) {
			t.Errorf("allowed %q denied %q: PortsOf(%q) has %d: %v", c.allowed, c.denied, c.name, c.port, open)
		}
	}
}

func TestName(t *testing.T) {
	open := func(star string) match.Named { return match.Named{Allowed: true, Star: star, Reason: match.Open} }
	denied := match.Named{Reason: match.Denied}
	for _, c := range []struct {
		allowed, denied, name string
		want                  match.Named
	}{
		{"ok.com", "", "ok.com", open("")},
		{"*.ok.com", "", "a.ok.com", open("*.ok.com")},
		{"*.ok.com a.ok.com", "", "a.ok.com", open("")},
		{"*.ok.com *.a.ok.com", "", "b.a.ok.com", open("*.a.ok.com")},
		{"*.ok.com a.ok.com:22", "a.ok.com:22", "a.ok.com", open("*.ok.com")},
		{"*.ok.com", "a.ok.com", "a.ok.com", denied},
		{"*.ok.com", "a.ok.com:80 a.ok.com:443", "a.ok.com", denied},
		{"*.ok.com", "a.ok.com:80", "a.ok.com", open("*.ok.com")},
		{"", "a.com", "a.com", denied},
		{"", "a.com:80", "a.com", match.Named{}},
		{"ok.com", "", "a.com", match.Named{}},
		{"localhost:80", "", "localhost", match.Named{}},
		{"localhost:80", "", "x.localhost", match.Named{}},
	} {
		if got := rules(c.allowed, c.denied).Name(c.name); got != c.want {
			t.Errorf("allowed %q denied %q: %q is %+v, want %+v", c.allowed, c.denied, c.name, got, c.want)
		}
	}
}

func TestAddress(t *testing.T) {
	for _, c := range []struct {
		allowed, denied, addr string
		port                  uint16
		want                  match.Reason
	}{
		{"192.0.2.1", "", "192.0.2.1", 443, match.Open},
		{"192.0.2.1", "", "192.0.2.1", 22, match.WrongPort},
		{"192.0.2.1:22", "", "192.0.2.1", 22, match.Open},
		{"192.0.2.1", "", "192.0.2.2", 443, match.NotAllowed},
		{"192.0.2.1", "", "::ffff:192.0.2.1", 443, match.Open},
		{"192.0.2.1", "", "64:ff9b::192.0.2.1", 443, match.NotAllowed},
		{"2001:DB8::1", "", "2001:db8:0::1", 443, match.Open},
		{"[2001:db8::1]:22", "", "2001:db8::1", 22, match.Open},
		{"[2001:db8::1]", "", "2001:db8::1%eth0", 443, match.NotAllowed},
		{"192.0.2.1", "192.0.2.1", "192.0.2.1", 443, match.Denied},
		{"192.0.2.1", "192.0.2.1:80", "192.0.2.1", 443, match.Open},
		{"192.0.2.1", "192.0.2.1:80", "192.0.2.1", 80, match.Denied},
		// Wherever packets may end there.
		{"", "192.0.2.1", "64:ff9b::192.0.2.1", 443, match.Denied},
		{"", "192.0.2.1", "2002:c000:201::", 443, match.Denied},
		{"", "192.0.2.1", "2001::3fff:fdfe", 443, match.Denied},
		{"", "192.0.2.1", "2001:db8::5efe:c000:201", 443, match.Denied},
		{"", "2001:db8::1", "2001:db8::1%eth0", 443, match.Denied},
	} {
		r, a := rules(c.allowed, c.denied), netip.MustParseAddr(c.addr)
		if got := r.Address(a, c.port); got != c.want {
			t.Errorf("allowed %q denied %q: %s port %d is %d, want %d", c.allowed, c.denied, a, c.port, got, c.want)
		}
		if got := r.DeniedAddress(a, c.port); got != (c.want == match.Denied) {
			t.Errorf("denied %q: DeniedAddress(%s, %d) is %v", c.denied, a, c.port, got)
		}
	}
	if r := rules("192.0.2.1 192.0.2.2 192.0.2.3:22", "192.0.2.2 192.0.2.3:22"); r.Address(netip.Addr{}, 443) == match.Open ||
		!r.Literal(netip.MustParseAddr("192.0.2.1")) || !r.Literal(netip.MustParseAddr("::ffff:192.0.2.1")) ||
		r.Literal(netip.MustParseAddr("192.0.2.2")) || r.Literal(netip.MustParseAddr("192.0.2.3")) ||
		r.Literal(netip.MustParseAddr("192.0.2.4")) || r.Literal(netip.Addr{}) {
		t.Error("Literal")
	}
}

func TestLocalhost(t *testing.T) {
	for _, c := range []struct {
		allowed, denied string
		port            uint16
		want            bool
	}{
		{"localhost:5432", "", 5432, true},
		{"LOCALHOST:5432", "", 5432, true},
		{"localhost:5432", "", 443, false},
		{"localhost:5432", "localhost:5432", 5432, false},
		{"localhost:5432", "localhost:5433", 5432, true},
		{"127.0.0.1:5432", "", 5432, false},
		{"x.localhost:5432", "", 5432, false},
		{"", "", 80, false},
	} {
		if got := rules(c.allowed, c.denied).Localhost(c.port); got != c.want {
			t.Errorf("allowed %q denied %q: port %d of localhost is %v", c.allowed, c.denied, c.port, got)
		}
	}
}

func TestPortsAndFacts(t *testing.T) {
	for _, c := range []struct {
		allowed, denied string
		ports           []uint16
		facts           string
	}{
		{"", "", nil, ""},
		{"", "ok.com", nil, ""},
		{"ok.com db.ok.com:5432 ok.com:22", "", []uint16{22, 80, 443, 5432}, "ok.com 22 80 443, db.ok.com 5432"},
		{"ok.com OK.com", "", []uint16{80, 443}, "ok.com 80 443"},
		{"*.ok.com", "", []uint16{80, 443}, "*.ok.com 80 443"},
		{"*.ok.com", "*.ok.com", nil, ""},
		{"*.a.ok.com", "*.ok.com", nil, ""},
		{"*.ok.com", "*.a.ok.com a.ok.com", []uint16{80, 443}, "*.ok.com 80 443"},
		{"*.ok.com", "x.ok.com", []uint16{80, 443}, "*.ok.com 80 443"},
		{"ok.com", "ok.com:80", []uint16{443}, "ok.com 443"},
		{"ok.com:22", "ok.com", nil, ""},
		{"localhost:5432 localhost:80", "localhost:80", []uint16{5432}, "localhost 5432"},
		{"192.0.2.1 [2001:DB8::1]:22", "192.0.2.1:80", []uint16{22, 443}, "192.0.2.1 443, 2001:db8::1 22"},
		{"x.localhost", "", nil, ""},
	} {
		r := rules(c.allowed, c.denied)
		if !slices.Equal(r.Ports(), c.ports) {
			t.Errorf("allowed %q denied %q: ports %d, want %d", c.allowed, c.denied, r.Ports(), c.ports)
		}
		if got := facts(r); got != c.facts {
			t.Errorf("allowed %q denied %q: %q, want %q", c.allowed, c.denied, got, c.facts)
		}
	}
}

func TestCanonical(t *testing.T) {
	long := strings.Repeat("a", 63)
	for name, want := range map[string]string{
		"ok.com": "ok.com", "OK.Com": "ok.com", "ok.com.": "ok.com", "oK.cOm.": "ok.com", "a": "a", "_x._tcp.ok.com": "_x._tcp.ok.com",
		"-a-.ok.com": "-a-.ok.com", "1.ok.com": "1.ok.com", "1.2.3.4.com": "1.2.3.4.com", "0x7f.com": "0x7f.com", "3com": "3com",
		"localhost": "localhost", long + ".com": long + ".com",
		long + "." + long + "." + long + "." + long[:61] + ".": long + "." + long + "." + long + "." + long[:61],
		"": "", ".": "", "ok.com..": "", "..": "", ".ok.com": "", "ok..com": "", "a" + long + ".com": "", "com." + long + "a": "",
		long + "." + long + "." + long + "." + long[:62]: "",
		"evil\x00.ok.com":  "",
		"evil\x00":         "", // a NUL anywhere
		"::ffff:1.2.3.4%x": "", "::ffff:1.2.3.4%x.ok.com": "", "::1": "", "a:b.com": "", "a%b.com": "",
		"127.1": "", "0x7f.1": "", "2130706433": "", "017700000001": "", "127.0.0.1": "", "127.0.0.1.": "", "a.0x7f": "", "a.0X7F": "",
		"0x": "", "a.0xyz": "", "ok.com.7": "",
		"ök.com": "", "\u212a.com": "", "o\\046k.com": "", "ok com": "", "ok.com\n": "", "*.ok.com": "", "ok/com": "", "ok@com": "",
	} {
		got, ok := rules("", "").Canonical(name)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q is %q, %v, want %q", name, got, ok, want)
		}
	}
}

func facts(r *match.Rules) string {
	var all []string
	for _, e := range r.Facts() {
		s := e.Text
		for _, p := range e.Ports {
			s += " " + number(p)
		}
		all = append(all, s)
	}
	return strings.Join(all, ", ")
}

func TestHasLiterals(t *testing.T) {
	for _, c := range []struct {
		allowed, denied []string
		want            bool
	}{
		{[]string{"a.example.com", "localhost:80"}, nil, false},
		{[]string{"a.example.com"}, []string{"192.0.2.1"}, false},
		{[]string{"a.example.com", "192.0.2.1:80"}, nil, true},
		{[]string{"[2001:db8::1]:80"}, nil, true},
	} {
		if got := match.New(&policy.Network{AllowedDomains: c.allowed, DeniedDomains: c.denied}).HasLiterals(); got != c.want {
			t.Errorf("%v, %v: %v", c.allowed, c.denied, got)
		}
	}
}
