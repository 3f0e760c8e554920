package dns

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

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
	many := Answer{Addresses: slices.Repeat([]netip.Addr{four}, 1000)}
	if large, rest, ok := Frames(first.Frame(nil, many)); !ok || len(rest) != 0 || int(word(large, 6)) != 1000 {
		t.Errorf("%d bytes, %d behind, %v", len(large), len(rest), ok)
	}
	if packet, rest, ok := Frames([]byte{0, 0, 1}); !ok || len(packet) != 0 || len(rest) != 1 {
		t.Errorf("empty message: % x, % x, %v", packet, rest, ok)
	}
}
