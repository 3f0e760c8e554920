package dns

import (
	"bytes"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// FuzzDNS: whatever the packet, each answer is a message that the other implementation reads, within its size, with the
// identifier and the question of the packet; and a name that is told is the one that stands in the packet.
func FuzzDNS(f *testing.F) {
	for _, p := range seeds() {
		f.Add(p, uint16(0), "api.example.com", true)
		f.Add(p, uint16(dnsmessage.RCodeNameError), "", false)
	}
	f.Add(packet(0, []string{"evil.ok", "com"}, 1, 1, optLater), uint16(2), "x..y", true)
	f.Fuzz(func(t *testing.T, kept []byte, code uint16, target string, blocked bool) {
		p := bytes.Clone(kept) // the fuzzer goes on with its own bytes
		q, err := Parse(p)
		if errors.Is(err, ErrDropped) {
			if len(p) >= headerSize {
				t.Fatal("dropped with a header")
			}
			return
		}
		a := Answer{Code: dnsmessage.RCode(code & 0xf), Addresses: []netip.Addr{four, six}, Name: target, TTL: uint32(code),
			Targets: []SRV{{1, 2, 3, target}, {4, 5, 6, "b.example.com"}}, Blocked: blocked}
		for i := range p {
			p[i] = 0xff // nothing of the packet is kept
		}
		b := q.Answer(nil, a)
		if !bytes.Equal(b[:2], kept[:2]) || len(b) > q.Size || q.Size < SizeUDP || q.Size > SizeEDNS {
			t.Fatalf("% x for % x, size %d", b, kept, q.Size)
		}
		if n := int(word(b, 4)); n > 1 || n == 1 && !bytes.HasPrefix(kept[headerSize:], []byte(q.raw)) || n == 0 && err == nil {
			t.Fatalf("% x for % x", b, kept)
		}
		readable(t, b, q, err == nil)
	})
}

// readable reads an answer with dnsmessage, which takes no dot inside of a label: such a question is skipped.
func readable(t *testing.T, b []byte, q Question, asked bool) {
	var parser dnsmessage.Parser
	h, err := parser.Start(b)
	if err != nil || !h.Response || !h.RecursionAvailable || h.Authoritative || h.AuthenticData || h.CheckingDisabled ||
		h.OpCode != 0 || h.RecursionDesired != q.RD {
		t.Fatalf("%+v, %v", h, err)
	}
	if asked && q.Name != "" {
		question, err := parser.Question()
		name := strings.TrimSuffix(strings.ToLower(question.Name.String()), ".")
		if err != nil || name != q.Name || question.Type != q.Type || question.Class != q.Class {
			t.Fatalf("%+v, %v; %+v", question, err, q)
		}
	}
	if err := parser.SkipAllQuestions(); err != nil {
		t.Fatal(err)
	}
	for _, skip := range []func() error{parser.SkipAllAnswers, parser.SkipAllAuthorities, parser.SkipAllAdditionals} {
		if err := skip(); err != nil {
			t.Fatal(err)
		}
	}
	if q.Name == "" || !asked {
		return
	}
	var m dnsmessage.Message
	if err := m.Unpack(b); err != nil {
		t.Fatal(err)
	}
	for _, r := range m.Answers {
		if r.Header.Type != q.Type || !strings.EqualFold(r.Header.Name.String(), q.Name+".") {
			t.Fatalf("%+v", r)
		}
	}
}

// FuzzFrames: however a stream is cut, the messages are the same, and nothing is lost.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("\x00\x02ab\x00\x00\x00\x01c\x00"), 3)
	f.Fuzz(func(t *testing.T, stream []byte, cut int) {
		cut = min(max(cut, 0), len(stream))
		whole, _ := messages(nil, stream)
		first, rest := messages(nil, stream[:cut])
		cutUp, _ := messages(first, append(bytes.Clone(rest), stream[cut:]...))
		if !bytes.Equal(bytes.Join(whole, []byte("|")), bytes.Join(cutUp, []byte("|"))) || len(whole) != len(cutUp) {
			t.Errorf("%q cut at %d: %q, %q", stream, cut, whole, cutUp)
		}
	})
}

func messages(to [][]byte, stream []byte) ([][]byte, []byte) {
	for {
		packet, rest, ok := Frames(stream)
		if !ok {
			return to, rest
		}
		to, stream = append(to, packet), rest
	}
}

// FuzzReverseName: an address that is told is the one whose name it is.
func FuzzReverseName(f *testing.F) {
	f.Add("1.2.0.192.in-addr.arpa")
	f.Add("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa")
	f.Fuzz(func(t *testing.T, name string) {
		if a, ok := ReverseName(name); ok && reversed(a) != name {
			t.Errorf("%q is %v", name, a)
		}
	})
}

// reversed writes the name of an address's PTR record.
func reversed(a netip.Addr) string {
	var parts []string
	text, suffix := a.StringExpanded(), ".in-addr.arpa"
	if a.Is4() {
		parts = strings.Split(text, ".")
	} else {
		b := a.As16()
		for _, c := range b {
			parts = append(parts, string("0123456789abcdef"[c>>4]), string("0123456789abcdef"[c&0xf]))
		}
		suffix = ".ip6.arpa"
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return strings.Join(parts, ".") + suffix
}
