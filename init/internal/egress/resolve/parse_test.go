package resolve

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// A hostile answer never panics, and what is made of it is bounded; a message that has another identifier is none of ours.
func FuzzParse(f *testing.F) {
	q := asked{7, dnsmessage.MustNewName("a.example.com."), dnsmessage.TypeA}
	for _, edns := range []bool{true, false} {
		m, err := q.message(nil, edns)
		if err != nil {
			f.Fatal(err)
		}
		m[2] |= 0x80
		f.Add(m)
	}
	var m dnsmessage.Message
	m.Header = dnsmessage.Header{ID: 7, Response: true, RecursionAvailable: true}
	m.Questions = []dnsmessage.Question{{Name: q.name, Type: q.kind, Class: dnsmessage.ClassINET}}
	h := dnsmessage.ResourceHeader{Name: q.name, Class: dnsmessage.ClassINET, TTL: 9}
	other := dnsmessage.MustNewName("b.example.com.")
	m.Answers = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.CNAMEResource{CNAME: other}}}
	h.Name = other
	m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: [4]byte{1, 2, 3, 4}}})
	m.Authorities = []dnsmessage.Resource{{Header: h, Body: &dnsmessage.SOAResource{NS: other, MBox: other, MinTTL: 3}}}
	whole, err := m.Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	if r, ours, err := q.parse(whole); !ours || err != nil || len(r.addresses) != 1 || r.hops != 1 || r.target != "b.example.com" {
		f.Fatalf("the seed is no answer: %+v %v %v", r, ours, err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, kind := range []dnsmessage.Type{dnsmessage.TypeA, dnsmessage.TypeAAAA, dnsmessage.TypeSRV} {
			q.kind = kind
			r, ours, _ := q.parse(b)
			if ours && (len(b) < 12 || b[0] != 0 || b[1] != 7) {
				t.Fatal("another identifier was taken")
			}
			if len(r.addresses)+len(r.services) > mostAddresses || r.hops > mostHops+1 || len(r.target) > 254 || r.ttl < 0 {
				t.Fatalf("unbounded: %+v", r)
			}
			for _, a := range r.addresses {
				if a.Is4() != (kind == dnsmessage.TypeA) || !a.IsValid() {
					t.Fatalf("an address of the other family: %v", a)
				}
			}
		}
	})
}

func TestConf(t *testing.T) {
	loopback := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")}
	for text, want := range map[string]conf{
		"": {loopback, 5 * time.Second, 2, false, false, nil, true},
		"# nameserver 1.1.1.1\n;nameserver 1.1.1.1\nnameserver dns.example\nnameserver\n": {loopback, 5 * time.Second, 2, false, false, nil, true},
		"nameserver 1.1.1.1\r\n  nameserver\t2.2.2.2 # x\nnameserver fe80::1%eth0\nnameserver 4.4.4.4": {
			[]netip.Addr{netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr("2.2.2.2"), netip.MustParseAddr("fe80::1%eth0")}, 5 * time.Second, 2, false, false, nil, false},
		"options timeout:1 attempts:4 rotate use-vc trust-ad ndots:5 edns0\ndomain c\nsearch a b": {loopback, time.Second, 4, true, true, []string{"a", "b"}, true},
		"options timeout:99999999999999999999 attempts:0 timeout:":                                {loopback, time.Second, 1, false, false, nil, true},
		"options timeout:99999999999999999999 attempts:77":                                        {loopback, 30 * time.Second, 5, false, false, nil, true},
		"options timeout:-3 attempts:x":                                                           {loopback, time.Second, 1, false, false, nil, true},
	} {
		got := parseConf(text)
		if !slices.Equal(got.servers, want.servers) || got.timeout != want.timeout || got.attempts != want.attempts ||
			got.rotate != want.rotate || got.tcp != want.tcp || !slices.Equal(got.search, want.search) || got.usual != want.usual {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

func FuzzConf(f *testing.F) {
	f.Add("nameserver 1.1.1.1\noptions timeout:3 attempts:2 rotate\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := parseConf(text)
		if len(c.servers) < 1 || len(c.servers) > mostServers || c.attempts < 1 || c.attempts > mostAttempts ||
			c.timeout < time.Second || c.timeout > mostTimeout*time.Second {
			t.Fatalf("%+v", c)
		}
	})
}

func TestHosts(t *testing.T) {
	const text = "127.0.0.1 localhost\n::1\tlocalhost ip6-localhost # comment.example\n" +
		"192.0.2.1 a.example b.a.example a.example.net\n#192.0.2.2 a.example\n 192.0.2.3 x\ta.example. y\r\n" +
		"nonsense a.example\na.example a.example\n::ffff:192.0.2.4 mapped.example\nc.example\n192.0.2.5 a.example#x\n192.0.2.6 last.example"
	for name, want := range map[string]string{
		"localhost":       "127.0.0.1 ::1",
		"a.example":       "192.0.2.1 192.0.2.3 192.0.2.5",
		"b.a.example":     "192.0.2.1",
		"example":         "",
		"comment.example": "",
		"mapped.example":  "192.0.2.4",
		"c.example":       "",
		"192.0.2.1":       "",
		"last.example":    "192.0.2.6",
		"":                "",
		".":               "",
	} {
		var got []string
		for _, a := range hosts(text).addresses(name) {
			got = append(got, a.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if n := len(hosts(strings.Repeat("192.0.2.1 a\n", 100)).addresses("a")); n != mostAddresses {
		t.Errorf("%d addresses", n)
	}
}

// The search finds what reading line by line finds.
func FuzzHosts(f *testing.F) {
	f.Add("127.0.0.1 localhost\n# x\n::1 localhost a.b. # a.b\n", "a.b")
	f.Fuzz(func(t *testing.T, text, name string) {
		if strings.ContainsAny(name, blanks+"\n#") || strings.HasSuffix(name, ".") || strings.HasPrefix(name, ".") || name == "" {
			return
		}
		var want []netip.Addr
		for line := range strings.SplitSeq(text, "\n") {
			line, _, _ = strings.Cut(line, "#")
			fields := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(blanks, r) })
			if len(fields) < 2 || len(want) == mostAddresses {
				continue
			}
			for _, field := range fields[1:] {
				if strings.TrimSuffix(field, ".") == name {
					if a, err := netip.ParseAddr(fields[0]); err == nil {
						want = append(want, a.Unmap())
					}
					break
				}
			}
		}
		if got := hosts(text).addresses(name); !slices.Equal(got, want) {
			t.Fatalf("%q in %q: got %v, want %v", name, text, got, want)
		}
	})
}
