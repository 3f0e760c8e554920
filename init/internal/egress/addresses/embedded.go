package addresses

import (
	"iter"
	"net/netip"
)

// Embedded yields the IPv4 addresses that packets to an IPv6 address may end at:
//
//	::ffff:0:0/96     mapped, RFC 4291, 2.5.5.2
//	::/96             compatible, RFC 4291, 2.5.5.1
//	64:ff9b::/96      NAT64, RFC 6052
//	64:ff9b:1::/48    NAT64 of a network's own, RFC 8215
//	2002::/16         6to4, RFC 3056
//	2001::/32         Teredo, RFC 4380: the server's, and the client's with every bit inverted
//	…:[02]00:5efe:x   ISATAP, RFC 5214, 6.1, below any prefix
//
// An IPv4 address has none in it.
func Embedded(a netip.Addr) iter.Seq[netip.Addr] {
	return func(yield func(netip.Addr) bool) {
		if !a.Is6() {
			return
		}
		b := a.As16()
		found, n := embedded(&b)
		for _, e := range found[:n] {
			if !yield(netip.AddrFrom4(e)) {
				return
			}
		}
	}
}

// embedded returns addresses and their number.
func embedded(b *[16]byte) (found [4][4]byte, n int) {
	last := [4]byte(b[12:])
	prefix := [6]byte(b[:6])
	switch {
	case [12]byte(b[:12]) == [12]byte{10: 0xff, 11: 0xff}, [12]byte(b[:12]) == [12]byte{},
		[12]byte(b[:12]) == [12]byte{1: 0x64, 2: 0xff, 3: 0x9b}:
		return [4][4]byte{last}, 1
	case prefix == [6]byte{0, 0x64, 0xff, 0x9b, 0, 1}:
		return translated(b)
	case b[0] == 0x20 && b[1] == 2:
		found[0], n = [4]byte(b[2:6]), 1
	case [4]byte(b[:4]) == [4]byte{0x20, 1}:
		found[0], found[1], n = [4]byte(b[4:8]), [4]byte{^last[0], ^last[1], ^last[2], ^last[3]}, 2
	}
	if b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		found[n] = last
		n++
	}
	return found, n
}

// translated reads an address of 64:ff9b:1::/48 in each of the four ways of RFC 6052, 2.2 that a network can have
// chosen. Where the address was written in one way, the others read the zeros around it: so an address that begins with
// zero counts only before zeros, which the RFC wants there, and 0.0.0.0 only if nothing else was read.
func translated(b *[16]byte) (found [4][4]byte, n int) {
	for _, way := range [...]struct {
		v4   [4]byte
		rest []byte
	}{
		{[4]byte{b[6], b[7], b[9], b[10]}, b[11:]},   // a prefix of 48 bits
		{[4]byte{b[7], b[9], b[10], b[11]}, b[12:]},  // 56
		{[4]byte{b[9], b[10], b[11], b[12]}, b[13:]}, // 64
		{[4]byte(b[12:]), nil},                       // 96
	} {
		if way.v4[0] != 0 || zero(way.rest) && !zero(way.v4[:]) {
			found[n] = way.v4
			n++
		}
	}
	return found, max(n, 1)
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
