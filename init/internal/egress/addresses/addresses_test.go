package addresses_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
)

func TestClassOf(t *testing.T) {
	for class, addrs := range map[addresses.Class]string{
		addresses.Public: `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
			169.255.0.0 172.15.255.255 172.32.0.0 191.255.255.255 192.0.1.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0
			198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.15 192.0.2.1 198.51.100.1 203.0.113.1
			2000:: 2001:200:: 2001:db8::1 2606:4700:4700::1111 3fff:ffff::1 2a00::
			::ffff:8.8.8.8 64:ff9b::8.8.8.8 2002:808:808:: 2001:0:808:808::f7f7:f7f7 2001:db8::5efe:808:808 2001:db8::200:5efe:808:808
			64:ff9b:1::8.8.8.8 64:ff9b:1:808:8:800:: 64:ff9b:1:8:8:808::`,
		addresses.Private: `10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255 100.64.0.0 100.127.255.255
			fc00:: fd00::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fd00:1::5efe:808:808 fd6d:6370:7363::1`,
		addresses.Metadata: `169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 168.63.129.16 192.0.0.192
			fd00:ec2::254 fd00:ec2:ffff::1 fd20:ce::254 fd00:c1::a9fe:a9fe fd00:42::42 fd00:a9fe:a9fe::1 fd00:100::100:200
			::ffff:169.254.169.254 64:ff9b::168.63.129.16 2002:a9fe:a9fe:: 2001:0:a9fe:a9fe::f7f7:f7f7 2001:0:808:808::5601:5601
			fe80::5efe:a9fe:a9fe ::169.254.169.254 64:ff9b:1::100.100.100.200 64:ff9b:1:a9fe:a9:fe00::`,
		addresses.Special: `0.0.0.0 0.1.2.3 127.0.0.1 127.255.255.255 169.254.0.1 169.254.255.255 192.0.0.1 192.88.99.1 198.18.0.1
			198.19.255.255 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
			:: ::1 ::8.8.8.8 fe80::1 febf::1 fec0::1 feff::1 ff02::1 ff0e::1 100::1 1fff::1 4000::1 64:ff9a::1 64:ff9b:2::1 64:ff9b:0:1::8.8.8.8
			2001:2::1 2001:10::1 2001:20::1 2001:1ff::1 5f00::1 ::ffff:0:8.8.8.8 fd6d:6370:7362::1 fd6d:6370:7362:1::5
			::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::10.0.0.1 64:ff9b::127.0.0.1 2002:a00:1:: 2002:7f00:1::1 2002:c0a8:101::
			2001:0:a00:1::f7f7:f7f7 2001:0:808:808::f5ff:fffe 2001:db8::5efe:a00:1 2001:db8::200:5efe:c0a8:101 ::10.0.0.1
			64:ff9b:1::10.0.0.1 64:ff9b:1:a00:0:100:: 64:ff9b:1:a:0:1:: 64:ff9b:1::a:0:100:0 64:ff9b:1:: 64:ff9b:1::0.0.0.1 64:ff9b:1:2:3:: 64:ff9b:1:a00:0:100:808:808
			fd00:1::5efe:a00:1 2606:4700::1%eth0 8.8.8.8%`,
	} {
		for _, s := range strings.Fields(addrs) {
			a, _ := netip.ParseAddr(s) // what is no address is the zero one
			if got := addresses.ClassOf(a, nil); got != class {
				t.Errorf("%s is %s, want %s", s, got, class)
			}
		}
	}
}

func TestAllowed(t *testing.T) {
	for class := range addresses.Class(8) {
		if got, want := addresses.Allowed(class, false), class == addresses.Public; got != want {
			t.Errorf("%s: %v", class, got)
		}
		if got, want := addresses.Allowed(class, true), class == addresses.Public || class == addresses.Private; got != want {
			t.Errorf("%s with private ones: %v", class, got)
		}
	}
}

func TestString(t *testing.T) {
	seen := map[string]bool{}
	for class := range addresses.Public + 1 {
		s := class.String()
		if seen[s] || !strings.HasPrefix(s, "a") && class != 0 {
			t.Errorf("%d is %q", class, s)
		}
		seen[s] = true
	}
}

// The host's own address is found wherever it stands, and private or public.
func TestOwn(t *testing.T) {
	for _, mine := range []string{"203.0.113.7", "10.0.0.7", "2001:db8::7", "fd00::7"} {
		host := netip.MustParseAddr(mine)
		own := func(a netip.Addr) bool { return a == host }
		forms := []netip.Addr{host}
		if host.Is4() {
			forms = append(forms, embed(host.As4())...)
		}
		for _, a := range forms {
			if got := addresses.ClassOf(a, own); got != addresses.Own {
				t.Errorf("%s, and the host is %s: %s", a, host, got)
			}
			if got := addresses.ClassOf(a, nil); got == addresses.Own {
				t.Errorf("%s of no host is %s", a, got)
			}
		}
	}
	// A metadata address stays one, so that it is told as what it is.
	all := func(netip.Addr) bool { return true }
	if got := addresses.ClassOf(netip.MustParseAddr("169.254.169.254"), all); got != addresses.Metadata {
		t.Error(got)
	}
}

// embed writes an IPv4 address in each way that leads there.
func embed(v4 [4]byte) []netip.Addr {
	var all []netip.Addr
	put := func(prefix string, at ...int) {
		b := netip.MustParseAddr(prefix).As16()
		for i, n := range at {
			b[n] = v4[i]
		}
		all = append(all, netip.AddrFrom16(b))
	}
	put("::ffff:0:0", 12, 13, 14, 15)
	put("::", 12, 13, 14, 15)
	put("64:ff9b::", 12, 13, 14, 15)
	put("64:ff9b:1::", 6, 7, 9, 10)
	put("64:ff9b:1::", 7, 9, 10, 11)
	put("64:ff9b:1::", 9, 10, 11, 12)
	put("64:ff9b:1::", 12, 13, 14, 15)
	put("2002::", 2, 3, 4, 5)
	put("2002::1:2:3:4", 2, 3, 4, 5)
	put("2001:0:0:0::f7f7:f7f7", 4, 5, 6, 7)
	put("2001:db8::5efe:0:0", 12, 13, 14, 15)
	put("2606:4700::200:5efe:0:0", 12, 13, 14, 15)
	v4 = [4]byte{^v4[0], ^v4[1], ^v4[2], ^v4[3]}
	put("2001:0:808:808::", 12, 13, 14, 15)
	return all
}

// The documentation's IPv6 form of each range names what Embedded finds.
func TestEmbedded(t *testing.T) {
	v4 := [4]byte{192, 0, 2, 33}
	forms := embed(v4)
	for _, a := range forms {
		found := false
		for e := range addresses.Embedded(a) {
			found = found || e == netip.AddrFrom4(v4)
		}
		if !found {
			t.Errorf("%s is not found in %s", netip.AddrFrom4(v4), a)
		}
	}
	for _, s := range []string{"192.0.2.33", "2001:db8::c000:221", "fd00::c000:221", "64:ff9b:0:1::c000:221"} {
		for e := range addresses.Embedded(netip.MustParseAddr(s)) {
			t.Errorf("%s is found in %s", e, s)
		}
	}
}
