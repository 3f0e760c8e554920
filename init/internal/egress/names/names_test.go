package names_test

import (
	"errors"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/names"
)

func addrs(s string) (all []netip.Addr) {
	for _, f := range strings.Fields(s) {
		all = append(all, netip.MustParseAddr(f))
	}
	return all
}

func handle(t *testing.T, table *names.Table, name string, v6 bool, real string) string {
	t.Helper()
	a, err := table.Handle(name, v6, addrs(real))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if of, ok := table.NameOf(a); !ok || of != name {
		t.Errorf("%s is the handle of %q, %v, want %q", a, of, ok, name)
	}
	return a.String()
}

// Each step asks the same table.
func TestHandle(t *testing.T) {
	table := names.New()
	for _, a := range addrs("203.0.113.9 2001:db8::9 ::ffff:203.0.113.10") {
		table.Reserve(a)
	}
	for i, c := range []struct {
		name       string
		v6         bool
		real, want string
	}{
		{"a.com", false, "192.0.2.1 192.0.2.2", "192.0.2.1"},
		{"a.com", false, "192.0.2.3", "192.0.2.1"}, // its addresses changed
		{"a.com", false, "", "192.0.2.1"},
		{"b.com", false, "192.0.2.1 192.0.2.2", "192.0.2.2"}, // a.com has the first
		{"c.com", false, "192.0.2.1 192.0.2.2", "198.18.0.2"},
		{"c.com", false, "192.0.2.4", "198.18.0.2"}, // never reassigned
		{"d.com", false, "", "198.18.0.3"},
		{"e.com", false, "203.0.113.9 203.0.113.10", "198.18.0.4"}, // reserved
		{"f.com", false, "198.18.0.1 198.18.0.9 198.19.0.1", "198.18.0.5"},
		{"g.com", false, "2001:db8::1", "198.18.0.6"}, // the other family
		{"g.com", true, "192.0.2.5 ::ffff:192.0.2.5 2001:db8::1%eth0 2001:db8::9 2001:db8::1", "2001:db8::1"},
		{"a.com", true, "2001:db8::1", "fd6d:6370:7362:1::1"},
		{"a.com", true, "2001:db8::2", "fd6d:6370:7362:1::1"},
		{"h.com", true, "fd6d:6370:7362:1::2 fd6d:6370:7362::1", "fd6d:6370:7362:1::2"},
		{"i.com", true, "fd6d:6370:7362:1::3 2001:db8::3", "2001:db8::3"},
		{"a.com", false, "192.0.2.9", "192.0.2.1"}, // the other family came between
	} {
		if got := handle(t, table, c.name, c.v6, c.real); got != c.want {
			t.Errorf("step %d: %s is %s, want %s", i, c.name, got, c.want)
		}
	}
	for a, want := range map[string]string{
		"192.0.2.1": "a.com", "::ffff:192.0.2.1": "a.com", "192.0.2.3": "", "198.18.0.1": "", "203.0.113.9": "", "2001:db8::1": "g.com",
	} {
		if got, ok := table.NameOf(netip.MustParseAddr(a)); got != want || ok != (want != "") {
			t.Errorf("%s is of %q, want %q", a, got, want)
		}
	}
	if _, ok := table.NameOf(netip.Addr{}); ok {
		t.Error("no address has a name")
	}
	if !table.Known("a.com") || table.Known("z.com") || table.Len() != 9 {
		t.Errorf("%d names", table.Len())
	}
}

// The names that the table has keep their handles when it is full, and get the other family's.
func TestFull(t *testing.T) {
	if text := names.ErrFull.Error(); text != strconv.Itoa(names.MaxNames)+" names have been looked up" {
		t.Errorf("%d names are the most: %s", names.MaxNames, text)
	}
	table := names.New()
	first := handle(t, table, "n0", false, "")
	for i := 1; i < names.MaxNames; i++ {
		handle(t, table, "n"+strconv.Itoa(i), i%2 == 0, "")
	}
	for _, v6 := range []bool{false, true} {
		if a, err := table.Handle("more", v6, addrs("192.0.2.1 2001:db8::1")); !errors.Is(err, names.ErrFull) || a.IsValid() {
			t.Errorf("one more is %s, %v", a, err)
		}
	}
	if _, ok := table.NameOf(netip.MustParseAddr("192.0.2.1")); ok || table.Known("more") || table.Len() != names.MaxNames {
		t.Error("what was refused is in the table")
	}
	if got := handle(t, table, "n0", false, ""); got != first {
		t.Errorf("n0 is %s, was %s", got, first)
	}
	handle(t, table, "n0", true, "2001:db8::1")
}

// Synthetic handles pass over those that are reserved.
func TestReservedSynthetic(t *testing.T) {
	table := names.New()
	table.Reserve(netip.MustParseAddr("198.18.0.2"))
	table.Reserve(netip.MustParseAddr("fd6d:6370:7362:1::1"))
	if got := handle(t, table, "a", false, ""); got != "198.18.0.3" {
		t.Error(got)
	}
	if got := handle(t, table, "a", true, ""); got != "fd6d:6370:7362:1::2" {
		t.Error(got)
	}
	for a := netip.MustParseAddr("198.18.0.4"); a.String() != "198.19.255.255"; a = a.Next() { // which is none
		if a.String() != "198.19.255.254" {
			table.Reserve(a)
		}
	}
	if got := handle(t, table, "b", false, ""); got != "198.19.255.254" {
		t.Error(got)
	}
	if a, err := table.Handle("c", false, nil); !errors.Is(err, names.ErrFull) || table.Known("c") {
		t.Errorf("%s, %v", a, err)
	}
	handle(t, table, "c", true, "")
}

// Whatever is asked, in whatever order: one handle for a name and family, one name for a handle, no reserved one.
func TestOneNameOneAddress(t *testing.T) {
	table, random := names.New(), rand.New(rand.NewPCG(3, 4))
	type key struct {
		name string
		v6   bool
	}
	have, of, shared := map[key]netip.Addr{}, map[netip.Addr]string{}, 0
	reserved := netip.MustParseAddr("192.0.2.0")
	table.Reserve(reserved)
	for range 20000 {
		k := key{"n" + strconv.Itoa(random.IntN(400)), random.IntN(2) == 0}
		var real []netip.Addr
		for range random.IntN(5) {
			n := byte(random.IntN(200))
			real = append(real, netip.AddrFrom4([4]byte{192, 0, 2, n}), netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 15: n}))
		}
		a, err := table.Handle(k.name, k.v6, real)
		if err != nil {
			t.Fatal(err)
		}
		if was, ok := have[k]; ok && was != a {
			t.Fatalf("%v was %s and is %s", k, was, a)
		}
		if other, ok := of[a]; ok && other != k.name || a == reserved || a.Is4() == k.v6 {
			t.Fatalf("%v is %s, which %q has", k, a, other)
		}
		if len(real) > 0 && a != real[0] && a != real[1] {
			shared++
		}
		have[k], of[a] = a, k.name
	}
	if len(have) != 800 || shared == 0 {
		t.Errorf("%d handles, %d not the first", len(have), shared)
	}
}
