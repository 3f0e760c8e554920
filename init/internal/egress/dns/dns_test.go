package dns

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// packet is a message as a client writes one: the flags, the labels of the name, type, class, and additional records.
func packet(flags uint16, labels []string, kind dnsmessage.Type, class dnsmessage.Class, more ...string) []byte {
	b := words(nil, 0x1234, flags, 1, 0, 0, uint16(len(more)))
	for _, l := range labels {
		b = append(append(b, byte(len(l))), l...)
	}
	b = words(append(b, 0), uint16(kind), uint16(class))
	return append(b, strings.Join(more, "")...)
}

func ask(name string, kind dnsmessage.Type, more ...string) []byte {
	return packet(0x0100, strings.Split(name, "."), kind, dnsmessage.ClassINET, more...)
}

const (
	optAres    = "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00"                                                 // 1,232
	optSystemd = "\x00\x00\x29\x05\xc0\x00\x00\x80\x00\x00\x00"                                                 // 1,472, DO
	optDig     = "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x0c\x00\x0a\x00\x08\x01\x02\x03\x04\x05\x06\x07\x08" // a cookie
	optSmall   = "\x00\x00\x29\x00\x10\x00\x00\x00\x00\x00\x00"
	optHuge    = "\x00\x00\x29\xff\xff\x00\x00\x00\x00\x00\x00"
	optLater   = "\x00\x00\x29\x04\xd0\x00\x01\x00\x00\x00\x00" // version 1
	signature  = "\x01k\x00\x00\xfa\x00\xff\x00\x00\x00\x00\x00\x02ab"
	pointed    = "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00"
)

// seeds are questions as the resolvers of glibc (with and without trust-ad), musl, c-ares, systemd and dig write them.
func seeds() [][]byte {
	return [][]byte{
		ask("api.example.com", dnsmessage.TypeA),
		ask("aPi.eXamPle.COM", dnsmessage.TypeAAAA),
		packet(0x0120, []string{"www", "example", "com"}, dnsmessage.TypeA, dnsmessage.ClassINET),
		ask("api.example.com", dnsmessage.TypeA, optAres),
		ask("api.example.com", dnsmessage.TypeAAAA, optSystemd),
		packet(0x0120, []string{"x", "y"}, 65, dnsmessage.ClassINET, optDig),
		ask("_mongodb._tcp.db.example.com", dnsmessage.TypeSRV, optHuge),
		ask("1.2.0.192.in-addr.arpa", dnsmessage.TypePTR),
	}
}

func TestParse(t *testing.T) {
	in, chaos := dnsmessage.ClassINET, dnsmessage.ClassCHAOS
	long := slices.Repeat([]string{strings.Repeat("a", 63)}, 3)
	for what, c := range map[string]struct {
		packet []byte
		name   string
		size   int
		err    error
	}{
		"glibc":             {seeds()[0], "api.example.com", 512, nil},
		"upper case":        {seeds()[1], "api.example.com", 512, nil},
		"musl":              {seeds()[2], "www.example.com", 512, nil},
		"c-ares":            {seeds()[3], "api.example.com", 1232, nil},
		"systemd":           {seeds()[4], "api.example.com", 1232, nil},
		"dig":               {seeds()[5], "x.y", 1232, nil},
		"srv, huge":         {seeds()[6], "_mongodb._tcp.db.example.com", 1232, nil},
		"small":             {ask("x.y", 1, optSmall), "x.y", 512, nil},
		"signed":            {ask("x.y", 1, optAres, signature), "x.y", 1232, nil},
		"longest":           {packet(0, append(long, strings.Repeat("b", 61)), 1, in), strings.Join(long, ".") + "." + strings.Repeat("b", 61), 512, nil},
		"root":              {packet(0, nil, dnsmessage.TypeNS, in), "", 512, nil},
		"dot inside":        {packet(0, []string{"evil.ok", "com"}, 1, in), "", 512, nil},
		"dot alone":         {packet(0, []string{"."}, 1, in), "", 512, nil},
		"zero byte":         {packet(0, []string{"evil\x00", "ok", "com"}, 1, in), "", 512, nil},
		"zone":              {packet(0, []string{"fe80%x", "com"}, 1, in), "", 512, nil},
		"colon":             {packet(0, []string{"::1"}, 1, in), "", 512, nil},
		"not ASCII":         {packet(0, []string{"ex\xc3\xa4mple", "com"}, 1, in), "", 512, nil},
		"blank":             {packet(0, []string{"a b", "com"}, 1, in), "", 512, nil},
		"escape":            {packet(0, []string{"a\\046b", "com"}, 1, in), "", 512, nil},
		"pointer behind":    {ask("x.y", 1, pointed), "x.y", 512, nil},
		"empty":             {nil, "", 512, ErrDropped},
		"an identifier":     {[]byte{1, 2}, "", 512, ErrDropped},
		"header cut":        {make([]byte, 11), "", 512, ErrDropped},
		"no question":       {words(nil, 0x1234, 0x100, 0, 0, 0, 0), "", 512, ErrFormat},
		"question missing":  {words(nil, 0x1234, 0x100, 1, 0, 0, 0), "", 512, ErrFormat},
		"two questions":     {set(append(ask("x.y", 1), ask("x.z", 1)[12:]...), 4, 2), "", 512, ErrFormat},
		"an answer inside":  {set(ask("x.y", 1), 6, 1), "", 512, ErrFormat},
		"authority":         {set(ask("x.y", 1), 8, 1), "", 512, ErrFormat},
		"record missing":    {set(ask("x.y", 1), 10, 1), "x.y", 512, ErrFormat},
		"three records":     {ask("x.y", 1, optAres, signature, signature), "", 512, ErrFormat},
		"two OPT":           {ask("x.y", 1, optAres, optAres), "x.y", 1232, ErrFormat},
		"OPT with a name":   {ask("x.y", 1, "\x01x"+optAres), "x.y", 512, ErrFormat},
		"OPT cut":           {ask("x.y", 1, optDig[:15]), "x.y", 512, ErrFormat},
		"later EDNS":        {ask("x.y", 1, optLater), "x.y", 1232, ErrVersion},
		"reply":             {packet(0x8100, []string{"x"}, 1, in), "", 512, ErrFormat},
		"notify":            {packet(0x2000, []string{"x"}, 1, in), "", 512, ErrFormat},
		"update":            {packet(0x2800, []string{"x"}, 1, in), "", 512, ErrFormat},
		"chaos":             {packet(0, []string{"version", "bind"}, dnsmessage.TypeTXT, chaos), "version.bind", 512, ErrFormat},
		"class ANY":         {packet(0, []string{"x"}, 1, dnsmessage.ClassANY), "x", 512, ErrFormat},
		"bytes behind":      {append(ask("x.y", 1), 0), "x.y", 512, ErrFormat},
		"label of 64":       {packet(0, []string{strings.Repeat("a", 64)}, 1, in), "", 512, ErrFormat},
		"pointer":           {append(words(nil, 1, 0, 1, 0, 0, 0), 0xc0, 12, 0, 1, 0, 1), "", 512, ErrFormat},
		"name without end":  {append(words(nil, 1, 0, 1, 0, 0, 0), 1, 'a', 1, 'b'), "", 512, ErrFormat},
		"256 bytes of name": {packet(0, append(long, strings.Repeat("b", 62)), 1, in), "", 512, ErrFormat},
		"class cut":         {packet(0, []string{"x"}, 1, in)[:18], "", 512, ErrFormat},
	} {
		q, err := Parse(c.packet)
		if !errors.Is(err, c.err) || q.Name != c.name || q.Size != c.size {
			t.Errorf("%s: %+v, error %v; want name %q, size %d, error %v", what, q, err, c.name, c.size, c.err)
		}
	}
}

// set changes a word of a packet.
func set(b []byte, at int, value uint16) []byte {
	binary.BigEndian.PutUint16(b[at:], value)
	return b
}

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

func TestFrames(t *testing.T) {
	first, _ := Parse(ask("a.b", 1))
	second, _ := Parse(ask("c.d", dnsmessage.TypeAAAA))
	stream := first.Frame(nil, Answer{Addresses: []netip.Addr{four}})
	one := len(stream)
	stream = second.Frame(stream, Answer{Code: dnsmessage.RCodeNameError})
	for n := range len(stream) + 1 {
		packet, rest, ok := Frames(stream[:n])
		if ok != (n >= one) || ok && (len(packet) != one-2 || len(rest) != n-one) || !ok && len(rest) != n {
			t.Fatalf("%d bytes: %d, %d, %v", n, len(packet), len(rest), ok)
		}
	}
	_, rest, _ := Frames(stream)
	packet, rest, ok := Frames(rest)
	if !ok || len(rest) != 0 || !bytes.Equal(packet, second.Answer(nil, Answer{Code: dnsmessage.RCodeNameError})) {
		t.Errorf("% x, % x, %v", packet, rest, ok)
	}
	if packet, rest, ok := Frames([]byte{0, 0, 1}); !ok || len(packet) != 0 || len(rest) != 1 {
		t.Errorf("empty message: % x, % x, %v", packet, rest, ok)
	}
}

func TestReverseName(t *testing.T) {
	nibbles := "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2"
	for name, want := range map[string]string{
		"1.2.0.192.in-addr.arpa":        "192.0.2.1",
		"255.0.10.0.in-addr.arpa":       "0.10.0.255",
		nibbles + ".ip6.arpa":           "2001:db8::1",
		"f" + nibbles[1:] + ".ip6.arpa": "2001:db8::f",

		"in-addr.arpa": "", ".in-addr.arpa": "", "1.in-addr.arpa": "", "2.0.192.in-addr.arpa": "",
		"0.1.2.0.192.in-addr.arpa": "", "01.2.0.192.in-addr.arpa": "", "256.2.0.192.in-addr.arpa": "",
		"1.2.0.192in-addr.arpa": "", "x.2.0.192.in-addr.arpa": "", "1..0.192.in-addr.arpa": "", "1.2.0.192": "",
		"-1.2.0.192.in-addr.arpa": "", "1.2.0.192.in-addr.arpa.": "", "1.2.0.0xc.in-addr.arpa": "", "0000.2.0.1.in-addr.arpa": "",
		"ip6.arpa": "", nibbles: "", "0." + nibbles + ".ip6.arpa": "", nibbles[2:] + ".ip6.arpa": "",
		"F" + nibbles[1:] + ".ip6.arpa": "", "g" + nibbles[1:] + ".ip6.arpa": "", nibbles[:1] + "-" + nibbles[2:] + ".ip6.arpa": "",
		"." + nibbles[1:] + ".ip6.arpa": "", "": "",
	} {
		got, ok := ReverseName(name)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%q: %v, %v, want %q", name, got, ok, want)
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
