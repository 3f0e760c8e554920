package dns

import (
	"encoding/binary"
	"errors"
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
