package egress_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// An address that a name resolves to, and whether allowPrivate opens the address; attacks 14, 15 and 16.
type refusedAddress struct {
	name, address string
	private       bool
}

var refusedAddresses = [...]refusedAddress{
	{"ten", "10.99.0.1", true},
	{"one-seven-two", "172.16.3.4", true},
	{"one-nine-two", "192.168.1.1", true},
	{"carrier", "100.64.0.9", true},
	{"ula", "fd00:1::1", true},
	{"own", world.Machine4, false},
	{"own6", world.Machine6, false},
	{"loopback", "127.0.0.1", false},
	{"loopback-far", "127.9.9.9", false},
	{"loopback6", "::1", false},
	{"unspecified", "0.0.0.0", false},
	{"unspecified6", "::", false},
	{"link", "169.254.1.1", false},
	{"link6", "fe80::1", false},
	{"broadcast", "255.255.255.255", false},
	{"multicast", "224.0.0.251", false},
	{"multicast6", "ff02::fb", false},
	{"sandbox", sandbox4, false},
	{"metadata", "169.254.169.254", false},
	{"metadata-azure", "168.63.129.16", false},
	{"metadata-alibaba", "100.100.100.200", false},
	{"metadata-oracle", "192.0.0.192", false},
	{"metadata6", "fd00:ec2::254", false},
	{"metadata6-google", "fd20:ce::254", false},
	{"mapped", "::ffff:127.0.0.1", false},
	{"mapped-metadata", "::ffff:169.254.169.254", false},
	{"nat64", "64:ff9b::7f00:1", false},
	{"nat64-ten", "64:ff9b::a63:1", false},
	{"six-to-four", "2002:7f00:1::", false},
	{"teredo", "2001:0:c000:201::8080:fefe", false},
}

func TestAddressesOfNames(t *testing.T) {
	for _, private := range []bool{false, true} {
		t.Run(fmt.Sprintf("allowPrivate %t", private), func(t *testing.T) {
			both(t, func(t *testing.T, in confinement) { addressesOfNames(t, in, private) })
		})
	}
}

func addressesOfNames(t *testing.T, in confinement, private bool) {
	public := newSite(t, "public.to.example.com").serve(t, 7, whoami("public"))
	mixed := newSite(t, "mixed.to.example.com").serve(t, 7, whoami("mixed"))
	know(t, mixed.Name, name{Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1"), mixed.V4, netip.MustParseAddr("10.99.0.250")}})
	inner := &site{}
	inner.listen(t, "10.99.0.1:7", whoami("ten"))
	trap := &site{}
	for _, at := range []string{world.Machine4, "127.0.0.1"} {
		trap.listen(t, at+":7", whoami("the host itself"))
	}
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{public.Name + ":7", mixed.Name + ":7"}, Private: private}}
	rows := []row{{"a public address", act("banner", public.Name+":7"), "220 public", ""},
		{"a public address among others", act("banner", mixed.Name+":7"), "220 mixed", ""}}
	for _, r := range refusedAddresses {
		n := r.name + ".to.example.com"
		know(t, n, name{Addresses: []netip.Addr{netip.MustParseAddr(r.address)}})
		l.Allowed = append(l.Allowed, n+":7")
		switch {
		case r.private && private && r.name == "ten":
			rows = append(rows, row{r.name, act("banner", n+":7"), "220 ten", ""})
		case r.private && private:
			rows = append(rows, row{r.name, act("lookup", n), "", ""})
		default:
			rows = append(rows, row{r.name, act("banner", n+":7"), "", "any"})
		}
	}
	e := l.rows(t, rows...)
	if n := trap.Accepted.Load(); n > 0 {
		t.Errorf("the host itself had %d connections", n)
	}
	if !private && inner.Accepted.Load() > 0 {
		t.Error("a private address was reached")
	}
	for _, r := range refusedAddresses {
		if r.private && private {
			continue
		}
		want := denied{Kind: "private", Host: r.name + ".to.example.com"}
		if r.private {
			want.Flag = "--allow-private"
		}
		if d := e.told(t, want); !r.private && d.Flag != "" {
			t.Errorf("%s: flag %q opens nothing", r.name, d.Flag)
		}
	}
	said := e.Stderr.String() + fmt.Sprintf("%s", e.Lines[1:])
	for _, address := range []string{"10.99.0.1", "172.16.3.4", "192.168.1.1", "100.64.0.9", "fd00:1::1"} {
		if strings.Contains(said, address) {
			t.Errorf("the address of a private host is told: %s", address)
		}
	}
}

// A literal opens a name's private address too, and a denied one shuts what a name resolves to.
func TestLiteralsOfNames(t *testing.T) { both(t, testLiteralsOfNames) }

func testLiteralsOfNames(t *testing.T, in confinement) {
	a := newSite(t, "a.pair.example.com").serve(t, 7, whoami("a")).serve(t, 8, whoami("a8"))
	b := newSite(t, "b.pair.example.com").serve(t, 7, whoami("b"))
	c := newSite(t, "c.pair.example.com")
	know(t, c.Name, name{Addresses: []netip.Addr{netip.MustParseAddr("10.99.0.8")}})
	c.listen(t, "10.99.0.8:7", whoami("c"))
	d := newSite(t, "d.pair.example.com")
	know(t, d.Name, name{Addresses: []netip.Addr{netip.MustParseAddr("10.99.0.9")}})
	l := launch{in: in, network: network{
		Allowed: []string{a.Name + ":7", a.Name + ":8", b.Name + ":7", c.Name + ":7", d.Name + ":7", "10.99.0.8:7"},
		Denied:  []string{b.V4.String(), a.V4.String() + ":8"},
	}}
	if world.HasIPv6() {
		l.Denied = append(l.Denied, "["+b.V6.String()+"]", "["+a.V6.String()+"]:8")
	}
	l.rows(t,
		row{"beside a denied port", act("banner", a.Name+":7"), "220 a", ""},
		row{"a denied port of the name's address", act("banner", a.Name+":8"), "", "ECONNRESET|ECONNREFUSED"},
		row{"a denied address", act("banner", b.Name+":7"), "", "any"},
		row{"a private address that is an entry", act("banner", c.Name+":7"), "220 c", ""},
		row{"another private address", act("banner", d.Name+":7"), "", "any"})
	if n := b.Accepted.Load(); n > 0 {
		t.Errorf("the denied address had %d connections", n)
	}
}
