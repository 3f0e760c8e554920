package dns

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// reads answers a packet and reads the message with the other implementation.
func reads(t *testing.T, packet []byte, size int, a Answer) dnsmessage.Message {
	t.Helper()
	q, err := Parse(packet)
	if errors.Is(err, ErrDropped) {
		t.Fatal(err)
	}
	if size != 0 {
		q.Size = size
	}
	b := q.Answer([]byte("before"), a)
	var m dnsmessage.Message
	if err := m.Unpack(b[len("before"):]); err != nil || !bytes.HasPrefix(b, []byte("before")) {
		t.Fatalf("% x: %v", b, err)
	}
	if len(b)-len("before") > q.Size {
		t.Errorf("%d bytes, for %d", len(b)-len("before"), q.Size)
	}
	return m
}

var (
	four = netip.MustParseAddr("192.0.2.1")
	six  = netip.MustParseAddr("2001:db8::1")
)

func TestAnswer(t *testing.T) {
	full := Answer{Addresses: []netip.Addr{four, six, {}}, TTL: 60, Name: "api.example.com",
		Targets: []SRV{{1, 2, 443, "a.example.com"}, {3, 4, 80, "b.example.com"}, {5, 6, 7, ".bad"}}}
	for _, c := range []struct {
		kind dnsmessage.Type
		want []dnsmessage.ResourceBody
	}{
		{dnsmessage.TypeA, []dnsmessage.ResourceBody{&dnsmessage.AResource{A: four.As4()}}},
		{dnsmessage.TypeAAAA, []dnsmessage.ResourceBody{&dnsmessage.AAAAResource{AAAA: six.As16()}}},
		{dnsmessage.TypePTR, []dnsmessage.ResourceBody{&dnsmessage.PTRResource{PTR: dnsmessage.MustNewName("api.example.com.")}}},
		{dnsmessage.TypeSRV, []dnsmessage.ResourceBody{
			&dnsmessage.SRVResource{Priority: 1, Weight: 2, Port: 443, Target: dnsmessage.MustNewName("a.example.com.")},
			&dnsmessage.SRVResource{Priority: 3, Weight: 4, Port: 80, Target: dnsmessage.MustNewName("b.example.com.")}}},
		{dnsmessage.TypeTXT, nil}, {dnsmessage.TypeALL, nil}, {65, nil},
	} {
		m := reads(t, ask("aPi.Example.com", c.kind), 0, full)
		want := dnsmessage.Header{ID: 0x1234, Response: true, RecursionDesired: true, RecursionAvailable: true}
		if m.Header != want || len(m.Questions) != 1 || m.Questions[0].Name.String() != "aPi.Example.com." ||
			len(m.Answers) != len(c.want) || len(m.Authorities)+len(m.Additionals) != 0 {
			t.Fatalf("%v: %+v", c.kind, m)
		}
		for i, r := range m.Answers {
			if r.Header.Name.String() != "aPi.Example.com." || r.Header.TTL != 60 || r.Header.Class != dnsmessage.ClassINET ||
				r.Body.GoString() != c.want[i].GoString() {
				t.Errorf("%v: %#v, want %#v", c.kind, r, c.want[i])
			}
		}
	}
}

// TestFlags: AD, CD, Z and DO of a question are not repeated, RD is.
func TestFlags(t *testing.T) {
	for _, flags := range []uint16{0x0000, 0x0100, 0x0170, 0x0670} {
		m := reads(t, packet(flags, []string{"x"}, 1, 1, optSystemd), 0, Answer{Code: dnsmessage.RCodeNameError})
		want := dnsmessage.Header{ID: 0x1234, Response: true, RecursionAvailable: true,
			RecursionDesired: flags&0x0100 != 0, RCode: dnsmessage.RCodeNameError}
		if m.Header != want || len(m.Additionals) != 1 || m.Additionals[0].Header.DNSSECAllowed() {
			t.Errorf("%x: %+v", flags, m)
		}
	}
}

func TestEDNS(t *testing.T) {
	blocked := dnsmessage.Option{Code: 15, Data: []byte{0, 15}}
	for what, c := range map[string]struct {
		packet  []byte
		answer  Answer
		code    dnsmessage.RCode
		records int
		options []dnsmessage.Option
	}{
		"none":             {ask("x.y", 1), Answer{Code: 3, Blocked: true}, 3, 0, nil},
		"blocked":          {ask("x.y", 1, optAres), Answer{Code: 3, Blocked: true}, 3, 1, []dnsmessage.Option{blocked}},
		"not blocked":      {ask("x.y", 1, optDig), Answer{Code: 3}, 3, 1, nil},
		"later":            {ask("x.y", 1, optLater), Answer{Code: 3, Blocked: true}, 16, 1, nil},
		"FORMERR":          {ask("x.y", 1, optAres, optAres), Answer{Addresses: []netip.Addr{four}}, 1, 1, nil},
		"FORMERR, no EDNS": {packet(0x2000, []string{"x"}, 1, 1), Answer{Addresses: []netip.Addr{four}}, 1, 0, nil},
	} {
		m := reads(t, c.packet, 0, c.answer)
		if len(m.Additionals) != c.records || len(m.Answers) != 0 {
			t.Fatalf("%s: %+v", what, m)
		}
		code := m.RCode
		if c.records > 0 {
			h := m.Additionals[0].Header
			code = h.ExtendedRCode(code)
			options := m.Additionals[0].Body.(*dnsmessage.OPTResource).Options
			if h.Class != 1232 || h.Name.String() != "." || !slices.EqualFunc(options, c.options, sameOption) {
				t.Errorf("%s: %+v", what, m.Additionals[0])
			}
		}
		if code != c.code {
			t.Errorf("%s: code %d, want %d", what, code, c.code)
		}
	}
}

func sameOption(a, b dnsmessage.Option) bool { return a.Code == b.Code && bytes.Equal(a.Data, b.Data) }

// TestOddNames: a name that no host has comes back byte for byte, and also one that makes the whole message malformed.
func TestOddNames(t *testing.T) {
	for _, labels := range [][]string{{"evil.ok", "com"}, {"a\x00b"}, {"\xff\n\x1b"}, {}, {"."}, {"X", "x"}} {
		for _, flags := range []uint16{0, 0x2000} {
			p := packet(flags, labels, 1, 1)
			q, _ := Parse(p)
			b := q.Answer(nil, Answer{Code: dnsmessage.RCodeNameError})
			want := p[headerSize:]
			if flags != 0 {
				want = nil // the section has no question then
			}
			if !bytes.Equal(b[headerSize:], want) || int(word(b, 4)) != min(len(want), 1) {
				t.Errorf("%q: % x", labels, b)
			}
		}
	}
}

// TestTruncated goes to the byte: what fits is sent, one record more is truncated.
func TestTruncated(t *testing.T) {
	many := make([]netip.Addr, 40000)
	for i := range many {
		many[i] = four
	}
	for _, c := range []struct {
		more  []string
		size  int
		fits  int
		bytes int
	}{
		{nil, 0, (512 - 21) / 16, 21},
		{[]string{optSmall}, 0, (512 - 32) / 16, 32},
		{[]string{optHuge}, 0, (1232 - 32) / 16, 32},
		{nil, SizeTCP, (65535 - 21) / 16, 21},
	} {
		m := reads(t, ask("x.y", 1, c.more...), c.size, Answer{Addresses: many[:c.fits]})
		if m.Truncated || len(m.Answers) != c.fits {
			t.Errorf("%+v: %d records, truncated %v", c, len(m.Answers), m.Truncated)
		}
		m = reads(t, ask("x.y", 1, c.more...), c.size, Answer{Addresses: many[:c.fits+1]})
		if !m.Truncated || len(m.Answers) != 0 || len(m.Additionals) != len(c.more) {
			t.Errorf("%+v: %d records, truncated %v", c, len(m.Answers), m.Truncated)
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	p := ask("api.example.com", dnsmessage.TypeA, optAres)
	a := Answer{Addresses: []netip.Addr{four}, TTL: 60}
	buf := make([]byte, 0, SizeEDNS)
	b.ReportAllocs()
	for b.Loop() {
		q, err := Parse(p)
		if err != nil {
			b.Fatal(err)
		}
		buf = q.Answer(buf[:0], a)
	}
}
