package policy

import (
	"net/netip"
	"strings"
	"testing"
)

func TestParseDomain(t *testing.T) {
	for _, test := range []struct {
		text string
		want Domain
	}{
		{"example.com", Domain{Host: "example.com"}},
		{"Example.COM:8443", Domain{Host: "example.com", Port: 8443}},
		{"*.Example.com", Domain{Host: "example.com", Below: true}},
		{"localhost:65535", Domain{Host: "localhost", Port: 65535}},
		{"db", Domain{Host: "db"}},
		{"_srv._tcp.example.com", Domain{Host: "_srv._tcp.example.com"}},
		{"1e100.net", Domain{Host: "1e100.net"}},
		{"192.0.2.1", Domain{Host: "192.0.2.1", Address: true}},
		{"192.0.2.1:53", Domain{Host: "192.0.2.1", Address: true, Port: 53}},
		{"::1", Domain{Host: "::1", Address: true}},
		{"2001:DB8::1", Domain{Host: "2001:db8::1", Address: true}},
		{"[2001:db8::1]", Domain{Host: "2001:db8::1", Address: true}},
		{"[2001:db8::1]:443", Domain{Host: "2001:db8::1", Address: true, Port: 443}},
		{"::ffff:192.0.2.1", Domain{Host: "::ffff:192.0.2.1", Address: true}},
		{strings.Repeat("a", 63) + ".com", Domain{Host: strings.Repeat("a", 63) + ".com"}},
	} {
		got, err := ParseDomain(test.text)
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v", test.text, got, err)
		}
	}
}

// Our reading of addresses is net/netip's, but for zones, which no policy can have.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{
		"0.0.0.0", "255.255.255.255", "256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1..2.3", "+1.2.3.4", "::", "::1", "1::", "1:2:3:4:5:6:7:8",
		"1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "1::2::3", ":::", ":1", "1:", "12345::", "g::", "::1.2.3.4",
		"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "::1.2.3.4:5", "fe80::1%eth0", "0x1::", "1_0::", "::+1", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := netip.ParseAddr(s)
		if got, want := isIPv4(s), err == nil && a.Is4(); got != want {
			t.Errorf("%q is an IPv4 address: %t", s, got)
		}
		if got, want := isIPv6(s), err == nil && a.Is6() && a.Zone() == ""; got != want {
			t.Errorf("%q is an IPv6 address: %t", s, got)
		}
		if d, err := ParseDomain(s); err == nil && (d.Host == "" || d.Host != strings.ToLower(d.Host) || d.Below && d.Address) {
			t.Errorf("%q is read as %+v", s, d)
		}
	})
}
