package tap

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
)

var (
	a4, b4 = netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.18.0.1")
	a6, b6 = netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("fd6d:6370:7362::1")
)

// ipv4 is a packet with n bytes of options.
func ipv4(protocol byte, from, to netip.Addr, n int, payload []byte) []byte {
	b := make([]byte, header4+n)
	b[0], b[9] = 4<<4|byte(len(b)/4), protocol
	copy(b[12:], from.AsSlice())
	copy(b[16:], to.AsSlice())
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)+len(payload)))
	return append(b, payload...)
}

func ipv6(next byte, from, to netip.Addr, payload []byte) []byte {
	b := make([]byte, header6)
	b[0], b[6] = 6<<4, next
	copy(b[8:], from.AsSlice())
	copy(b[24:], to.AsSlice())
	return append(b, payload...)
}

func segment(flags byte, seq uint32) []byte {
	b := make([]byte, headerTCP)
	binary.BigEndian.PutUint16(b, 443)
	binary.BigEndian.PutUint16(b[2:], 40000)
	binary.BigEndian.PutUint32(b[4:], seq)
	b[12], b[13] = 5<<4, flags
	return b
}

func datagram(payload string) []byte {
	return append([]byte{0x9c, 0x40, 0, 53, 0, byte(headerUDP + len(payload)), 0, 0}, payload...)
}

func icmp(kind, code byte, quoted []byte) []byte {
	return append([]byte{kind, code, 0, 0, 0, 0, 0, 0}, quoted...)
}

func change(b []byte, at int, c byte) []byte {
	b = slices.Clone(b)
	b[at] = c
	return b
}

func TestTCP(t *testing.T) {
	for what, c := range map[string]struct {
		segment []byte
		want    bool
	}{
		"refused":      {segment(0x14, 0), true},
		"with options": {append(segment(0x14, 0), 1, 1, 1, 1), true},
		"with PSH":     {segment(0x1c, 0), true},
		"a number":     {segment(0x14, 1), false},
		"high number":  {segment(0x14, 1<<24), false},
		"RST alone":    {segment(0x04, 0), false},
		"SYN":          {segment(0x02, 0), false},
		"SYN and ACK":  {segment(0x12, 0), false},
		"ACK":          {segment(0x10, 0), false},
		"FIN":          {segment(0x11, 0), false},
		"everything":   {segment(0xff, 0), false},
		"cut":          {segment(0x14, 0)[:19], false},
		"nothing":      {nil, false},
	} {
		for _, n := range []int{0, 4, 40} {
			r, ok := TCP4(ipv4(protocolTCP, a4, b4, n, c.segment))
			if ok != c.want || ok && (r.Addr != a4 || r.Port != 443 || r.UDP || r.Payload != nil) {
				t.Errorf("%s, IPv4 with %d bytes of options: %+v, %v", what, n, r, ok)
			}
		}
		r, ok := TCP6(c.segment, a6.WithZone("lo"))
		if ok != c.want || ok && (r.Addr != a6 || r.Port != 443 || r.UDP || r.Payload != nil) {
			t.Errorf("%s, IPv6: %+v, %v", what, r, ok)
		}
	}
	good := ipv4(protocolTCP, a4, b4, 0, segment(0x14, 0))
	for what, b := range map[string][]byte{
		"version 6": change(good, 0, 0x65), "short header": change(good, 0, 0x44), "header beyond the packet": change(good, 0, 0x4f)[:40],
		"UDP": change(good, 9, 17), "fragment": change(good, 7, 1), "late fragment": change(good, 6, 0x10),
	} {
		if r, ok := TCP4(b); ok {
			t.Errorf("%s: %+v", what, r)
		}
	}
	if r, ok := TCP6(segment(0x14, 0), a4); ok {
		t.Errorf("IPv4 source: %+v", r)
	}
}

func TestICMP(t *testing.T) {
	quoted4 := ipv4(protocolUDP, b4, a4, 0, datagram("hello"))
	quoted6 := ipv6(protocolUDP, b6, a6, datagram("hello"))
	for what, c := range map[string]struct {
		four, six []byte
		payload   string
		want      bool
	}{
		"refused":      {icmp(3, 3, quoted4), icmp(1, 4, quoted6), "hello", true},
		"empty":        {icmp(3, 3, quoted4[:28]), icmp(1, 4, quoted6[:48]), "", true},
		"cut":          {icmp(3, 3, quoted4[:30]), icmp(1, 4, quoted6[:50]), "he", true},
		"more":         {icmp(3, 3, append(slices.Clone(quoted4), 1)), icmp(1, 4, append(slices.Clone(quoted6), 1)), "hello", true},
		"no port":      {icmp(3, 3, quoted4[:27]), icmp(1, 4, quoted6[:47]), "", false},
		"short length": {icmp(3, 3, change(quoted4, 25, 7)), icmp(1, 4, change(quoted6, 45, 7)), "", false},
		"host":         {icmp(3, 1, quoted4), icmp(1, 3, quoted6), "", false},
		"echo":         {icmp(8, 0, quoted4), icmp(128, 0, quoted6), "", false},
		"of the other": {icmp(1, 4, quoted4), icmp(3, 3, quoted6), "", false},
		"quoted other": {icmp(3, 3, quoted6), icmp(1, 4, quoted4), "", false},
		"of TCP":       {icmp(3, 3, change(quoted4, 9, 6)), icmp(1, 4, change(quoted6, 6, 6)), "", false},
		"fragment":     {icmp(3, 3, change(quoted4, 7, 1)), icmp(1, 4, change(quoted6, 6, 44)), "", false},
		"no quotation": {icmp(3, 3, nil), icmp(1, 4, nil), "", false},
		"nothing":      {nil, nil, "", false},
	} {
		r, ok := ICMP4(ipv4(protocolICMP, a4, b4, 4, c.four))
		if ok != c.want || ok && (r.Addr != a4 || r.Port != 53 || !r.UDP || string(r.Payload) != c.payload) {
			t.Errorf("%s, IPv4: %+v, %v", what, r, ok)
		}
		r, ok = ICMP6(c.six)
		if ok != c.want || ok && (r.Addr != a6 || r.Port != 53 || !r.UDP || string(r.Payload) != c.payload) {
			t.Errorf("%s, IPv6: %+v, %v", what, r, ok)
		}
	}
}

// FuzzTap: whatever a packet holds, what is told stands in it, and the payload is a part of it.
func FuzzTap(f *testing.F) {
	f.Add(ipv4(protocolTCP, a4, b4, 0, segment(0x14, 0)))
	f.Add(ipv4(protocolICMP, a4, b4, 8, icmp(3, 3, ipv4(protocolUDP, b4, a4, 4, datagram("hello")))))
	f.Add(icmp(1, 4, ipv6(protocolUDP, b6, a6, datagram("hello"))))
	f.Add(segment(0x14, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		kept := slices.Clone(b)
		type parsed struct {
			r  Refused
			ok bool
		}
		var all [4]parsed
		all[0].r, all[0].ok = TCP4(b)
		all[1].r, all[1].ok = TCP6(b, a6)
		all[2].r, all[2].ok = ICMP4(b)
		all[3].r, all[3].ok = ICMP6(b)
		for i, p := range all {
			switch {
			case !p.ok && (p.r.Addr.IsValid() || p.r.Port != 0 || p.r.Payload != nil), p.ok && p.r.UDP != (i >= 2),
				p.ok && p.r.Addr.Is4() != (i%2 == 0):
				t.Errorf("%d: % x: %+v, %v", i, b, p.r, p.ok)
			}
			if n := len(p.r.Payload); n > 0 && string(append(p.r.Payload, 0)[:n]) != string(p.r.Payload) {
				t.Errorf("%d: % x", i, b)
			}
		}
		if all[0].ok && all[2].ok || !slices.Equal(b, kept) { // one protocol each, and nothing is written
			t.Errorf("% x: %+v", kept, all)
		}
	})
}
