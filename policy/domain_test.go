package policy

import (
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"unicode"
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
		{"192.0.2.1:54", Domain{Host: "192.0.2.1", Address: true, Port: 54}},
		{"10.0.0.1", Domain{Host: "10.0.0.1", Address: true}}, // private, and named
		{"2001:DB8::1", Domain{Host: "2001:db8::1", Address: true}},
		{"2001:db8:0:0::0:01", Domain{Host: "2001:db8::1", Address: true}},
		{"[2001:db8::192.0.2.1]:443", Domain{Host: "2001:db8::c000:201", Address: true, Port: 443}},
		{"*.example.com:8443", Domain{Host: "example.com", Below: true, Port: 8443}},
		{"*.example.co.uk", Domain{Host: "example.co.uk", Below: true}},
		{"*.www.ck", Domain{Host: "www.ck", Below: true}}, // an exception of publicsuffix.org
		{"co.uk", Domain{Host: "co.uk"}},
		{"*.github.io", Domain{Host: "github.io", Below: true}},
		{"localhost.example.com", Domain{Host: "localhost.example.com"}},
		{"LocalHost:80", Domain{Host: "localhost", Port: 80}},
		{"198.17.255.255", Domain{Host: "198.17.255.255", Address: true}}, // neighbours of what is refused
		{"198.20.0.0", Domain{Host: "198.20.0.0", Address: true}},
		{"169.253.255.255", Domain{Host: "169.253.255.255", Address: true}},
		{"100.100.100.201", Domain{Host: "100.100.100.201", Address: true}},
		{"fd00:ec3::1", Domain{Host: "fd00:ec3::1", Address: true}},
		{"fd6d:6370:7363::1", Domain{Host: "fd6d:6370:7363::1", Address: true}},
		{"64:ff9c::1", Domain{Host: "64:ff9c::1", Address: true}},
		{"2001:1::1", Domain{Host: "2001:1::1", Address: true}},
		{"[2001:db8::1]", Domain{Host: "2001:db8::1", Address: true}},
		{"[2001:db8::1]:443", Domain{Host: "2001:db8::1", Address: true, Port: 443}},
		{strings.Repeat("a", 63) + ".com", Domain{Host: strings.Repeat("a", 63) + ".com"}},
	} {
		got, err := ParseDomain(test.text)
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v", test.text, got, err)
		}
	}
}

// What is never reached is no entry, in whatever dress.
func TestParseDomainUnreachable(t *testing.T) {
	for why, list := range map[string]string{
		theLoopback: "127.0.0.1 127.0.0.1:80 127.255.255.254 ::1 [::1] [::1]:8080",
		theMetadata: "100.100.100.200 100.100.100.200:80 168.63.129.16 192.0.0.192 fd00:ec2::254 [fd00:ec2::254]:80 fd00:ec2:1::1 " +
			"fd20:ce::254 fd00:c1::a9fe:a9fe fd00:c1::169.254.169.254 fd00:42::42 fd00:a9fe:a9fe::1 fd00:100::100:200",
		"is link-local":           "169.254.169.254 169.254.169.254:80 169.254.0.1 fe80::1 [febf::1]:80",
		"is a multicast":          "224.0.0.1 239.255.255.255 ff02::1 [ff02::fb]:5353",
		"is no address of a host": "0.0.0.0 0.0.0.0:80 0.1.2.3 :: [::]:80 0:0:0:0:0:0:0:0",
		"is every host":           "255.255.255.255",
		theSandbox:                "198.18.0.1 198.19.255.254 fd6d:6370:7362::1 fd6d:6370:7362:1::5",
		theEmbedded: "::ffff:192.0.2.1 ::ffff:10.0.0.1 [::ffff:169.254.169.254]:80 ::ffff:0:192.0.2.1 ::192.0.2.1 64:ff9b::192.0.2.1 " +
			"64:ff9b:1::1 2002:c000:201::1 2001:0:1::1 2001::1",
		"has port 53":     "example.com:53 *.example.com:53 192.0.2.1:53 [2001:db8::1]:53 localhost:53",
		"is too wide":     "*.com *.co.uk *.co.uk:443 *.com.ck *.any.ck *.kawasaki.jp *.a.kawasaki.jp *.CO.UK *.1.2.3.4",
		"needs a port":    "localhost LOCALHOST",
		"this machine":    "a.localhost a.localhost:80 *.a.localhost:80 a.b.LOCALHOST",
		"a range of":      "10.0.0.0/8 2001:db8::/32 [2001:db8::]/32",
		"holds a %":       "fe80::1%eth0 [fe80::1%eth0]:80 ::ffff:1.2.3.4%x.example.com %2A.example.com",
		"holds an @":      "user@example.com user:secret@example.com:80 https://user:secret@example.com",
		"the dot at its":  "example.com. localhost. *.example.com.",
		"is not ASCII":    "b\u00fccher.example \u212aelvin.example example\u3002com",
		"neither a name":  "127.1 0x7f.1 2130706433 017700000001 1.2.3.4.5 example.0x1 0177.0.0.1 1:2",
		"the name alone":  "https://example.com example.com/ example.com/path",
		"between 1 and":   "example.com: example.com:0 example.com:65536 example.com:+1 example.com:080 example.com:http ::1::",
		"can only stand":  "* *:443 a.*.com *.*.example.com *example.com **.example.com",
		"in its brackets": "[example.com]:80 [::1 [192.0.2.1]:80 []:80",
		"is no domain":    ":443 example..com .example.com -a.com a-.com a_.b$ a,b",
		"longer than":     strings.Repeat("a.", 126) + "com",
	} {
		for entry := range strings.FieldsSeq(list) {
			d, err := ParseDomain(entry)
			if err == nil || !strings.Contains(err.Error(), why) || d != (Domain{}) {
				t.Errorf("%s: got %+v, %v; want %s", entry, d, err, why)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: the error tells the password: %v", entry, err)
			}
		}
	}
}

func TestSharedSuffix(t *testing.T) {
	for host, want := range map[string]bool{
		"github.io": true, "vercel.app": true, "s3.amazonaws.com": true, "workers.dev": true, "amazonaws.com": true,
		"me.github.io": false, "example.com": false, "localhost": false, "192.0.2.1": false, "": false,
	} {
		if got := SharedSuffix(host); got != want {
			t.Errorf("%s: %t", host, got)
		}
	}
}

func TestPorts(t *testing.T) {
	list := []string{"a.example", "b.example:443", "*.c.example:8443", "localhost:8080", "192.0.2.1", "wrong:", "[2001:db8::1]:8443"}
	if n := ports(list); n != 4 {
		t.Errorf("%d ports of %q", n, list)
	}
	p := Policy{}
	for i := range maxPorts {
		p.Network.AllowedDomains = append(p.Network.AllowedDomains, "a.example:"+strconv.Itoa(1000+i))
	}
	if err := p.Validate(); err != nil {
		t.Errorf("%d ports: %v", maxPorts, err)
	}
	p.Network.AllowedDomains = append(p.Network.AllowedDomains, "b.example:1000") // one of them
	p.Network.DeniedDomains = []string{"c.example:1", "c.example:2"}              // takes no listener
	if err := p.Validate(); err != nil {
		t.Errorf("a port again: %v", err)
	}
	p.Network.AllowedDomains = append(p.Network.AllowedDomains, "b.example")
	const want = "/network/allowedDomains: has 130 different ports together, and 128 can be opened"
	if err := p.Validate(); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := Parse(p.AppendJSON(nil)); err == nil || err.Error() != want {
		t.Errorf("a document: got %v", err)
	}
}

// What is read is written as its only form, which is read as the same; a name is one that DNS has, an address one that
// net/netip has.
func FuzzParseDomain(f *testing.F) {
	for _, s := range []string{
		"example.com", "*.Example.com:8443", "localhost:80", "0.0.0.0", "255.255.255.255", "256.1.1.1", "1.2.3", "01.2.3.4", "::", "::1",
		"1:2:3:4:5:6:7:8", "1::2::3", "[2001:db8::1]:443", "::1.2.3.4", "fe80::1%eth0", "64:ff9b::a9fe:a9fe", "*.co.uk", "\u212a.example", "a@b", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDomain(s)
		if err != nil {
			if d != (Domain{}) || strings.ContainsFunc(err.Error(), unicode.IsControl) {
				t.Errorf("%q: %+v, %v", s, d, err)
			}
			return
		}
		again := d.Host
		if strings.Contains(d.Host, ":") {
			again = "[" + d.Host + "]"
		}
		if d.Below {
			again = "*." + again
		}
		if d.Port != 0 {
			again += ":" + strconv.Itoa(int(d.Port))
		}
		if e, err := ParseDomain(again); err != nil || e != d {
			t.Errorf("%q is %+v, and %q is %+v, %v", s, d, again, e, err)
		}
		a, err := netip.ParseAddr(d.Host)
		switch {
		case (err == nil) != d.Address, d.Port == 53, d.Below && d.Address:
			t.Errorf("%q is %+v", s, d)
		case d.Address:
			if a.Zone() != "" || a.Is4In6() || a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast() || a.String() != d.Host {
				t.Errorf("%q is %s", s, a)
			}
		case strings.Trim(d.Host, "abcdefghijklmnopqrstuvwxyz0123456789._-") != "" || strings.HasPrefix(d.Host, "."):
			t.Errorf("%q is %+v", s, d)
		}
	})
}
