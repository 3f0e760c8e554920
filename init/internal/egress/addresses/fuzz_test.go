package addresses_test

import (
	"net/netip"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
)

// closed are the IPv4 ranges that are not public, as their registries write them.
var closed = []string{
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
	"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/4", "240.0.0.0/4",
}

func isClosed(a netip.Addr) bool {
	for _, s := range closed {
		if netip.MustParsePrefix(s).Contains(a) {
			return true
		}
	}
	return false
}

// No form of an IPv4 address that is not public is public, and none is private but the address itself.
func FuzzFourInSix(f *testing.F) {
	for _, s := range closed {
		f.Add(netip.MustParsePrefix(s).Addr().AsSlice())
	}
	for _, s := range []string{"8.8.8.8", "169.254.169.254", "192.0.2.1", "0.48.48.48"} {
		f.Add(netip.MustParseAddr(s).AsSlice())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != 4 {
			return
		}
		a := netip.AddrFrom4([4]byte(b))
		class := addresses.ClassOf(a, nil)
		if (class == addresses.Public) == isClosed(a) {
			t.Fatalf("%s is %s", a, class)
		}
		for _, in := range embed([4]byte(b)) {
			got := addresses.ClassOf(in, nil)
			if got > class || got == addresses.Private {
				t.Errorf("%s, which is %s, is %s as %s", a, class, got, in)
			}
			// As text, and as a socket or a resolver would write it.
			for _, text := range []string{in.String(), in.StringExpanded()} {
				if again := addresses.ClassOf(netip.MustParseAddr(text), nil); again != got {
					t.Errorf("%s is %s, but %s is %s", in, got, text, again)
				}
			}
		}
	})
}

// Nothing panics, and an address that is public has nothing worse in it, with any zone it is none.
func FuzzClassOf(f *testing.F) {
	for _, s := range []string{"8.8.8.8", "::ffff:10.0.0.1", "64:ff9b::1", "64:ff9b:1::1", "2002:a00:1::", "2001:db8::5efe:a00:1", "fd00:ec2::254"} {
		f.Add(netip.MustParseAddr(s).AsSlice(), "")
	}
	f.Add([]byte{}, "eth0")
	f.Fuzz(func(t *testing.T, b []byte, zone string) {
		a, _ := netip.AddrFromSlice(b)
		a = a.WithZone(zone)
		class := addresses.ClassOf(a, nil)
		if class < addresses.Metadata || class > addresses.Public {
			t.Fatalf("%s is %d", a, class)
		}
		global := a.Is4() || a.Is4In6() || netip.MustParsePrefix("2000::/3").Contains(a) || netip.MustParsePrefix("64:ff9b::/32").Contains(a)
		if class == addresses.Public && (!global || a.Zone() != "" || a.IsPrivate() || !a.IsGlobalUnicast()) {
			t.Fatalf("%s is %s", a, class)
		}
		for e := range addresses.Embedded(a) {
			if inner := addresses.ClassOf(e, nil); inner < class {
				t.Fatalf("%s is %s, with %s in it, which is %s", a, class, e, inner)
			}
		}
		// Who owns it may dial none of it.
		if got := addresses.ClassOf(a, func(netip.Addr) bool { return true }); addresses.Allowed(got, true) {
			t.Fatalf("%s is the host's, and %s", a, got)
		}
	})
}
