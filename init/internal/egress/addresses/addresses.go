// Package addresses says which addresses a name may resolve to: an address is dialled only after a look at its class.
//
//	class := addresses.ClassOf(addr, own)
//	if !addresses.Allowed(class, policy.Network.AllowPrivate) { ... }
//
// The classes are those of IANA's special-purpose address registries (RFC 6890, RFC 8190), with two lists of this
// package's own: the addresses at which clouds serve credentials to any process that asks, and the addresses that the
// sandbox itself uses. IPv6 is public inside of 2000::/3 only, the one block given out for global unicast.
//
// An IPv6 address that leads to an IPv4 address by a known rule has the worse class of the two. A translator with a
// prefix of the network's own (RFC 6052, 2.2) is not known: no address tells that it is one.
package addresses

import "net/netip"

// A Class is why an address may be dialled or not. The zero Class is none, and not allowed.
type Class uint8

// The classes, the worst first.
const (
	_        Class = iota
	Metadata       // serves credentials to whoever asks
	Own            // of an interface of the host
	Special        // loopback, link-local, multicast, unspecified, broadcast, reserved, or the sandbox's own
	Private        // RFC 1918, RFC 6598 (100.64.0.0/10) and RFC 4193 (fc00::/7)
	Public
)

// String is the class behind the words "resolves to".
func (c Class) String() string {
	switch c {
	case Metadata:
		return "a metadata address"
	case Own:
		return "an address of the host itself"
	case Special:
		return "a loopback, link-local or reserved address"
	case Private:
		return "a private address"
	case Public:
		return "a public address"
	}
	return "no address"
}

// Allowed reports whether an address of class c may be dialled for a name.
func Allowed(c Class, allowPrivate bool) bool { return c == Public || c == Private && allowPrivate }

// ClassOf is the class of an address, or of an IPv4 address in it if that is worse. own reports whether an address is
// one of the host's interfaces or a broadcast address of one; a nil own knows none. It is asked without a zone, of the
// address and of those in it.
//
// A private address inside of an IPv6 address is [Special], the form ::ffff:10.0.0.1 too: a private service's address
// is written like that only to get it past a filter. Addresses of a dual-stack socket are unmapped first.
func ClassOf(a netip.Addr, own func(netip.Addr) bool) Class {
	if !a.IsValid() || a.Zone() != "" {
		return Special
	}
	class := alone(a, own)
	for e := range Embedded(a) {
		inner := alone(e, own)
		if inner == Private {
			inner = Special
		}
		class = min(class, inner)
	}
	return class
}

// alone is the class of an address that is taken as it stands.
func alone(a netip.Addr, own func(netip.Addr) bool) Class {
	var class Class
	if a.Is4() {
		class = class4(a.As4())
	} else {
		class = class6(a)
	}
	if class != Metadata && own != nil && own(a) {
		return Own
	}
	return class
}

func class4(b [4]byte) Class {
	switch b {
	case [4]byte{168, 63, 129, 16}, // Azure
		[4]byte{192, 0, 0, 192},     // Oracle Cloud
		[4]byte{100, 100, 100, 200}, // Alibaba Cloud
		[4]byte{169, 254, 42, 42},   // Scaleway
		[4]byte{169, 254, 0, 23}:    // Tencent Cloud
		return Metadata
	}
	switch {
	case b[0] == 169 && b[1] == 254 && (b[2] == 169 || b[2] == 170): // most clouds; .170.2 and .170.23 are ECS and EKS
		return Metadata
	case b[0] == 10, b[0] == 172 && b[1]&0xf0 == 16, b[0] == 192 && b[1] == 168, b[0] == 100 && b[1]&0xc0 == 64:
		return Private
	case b[0] == 0, b[0] == 127, b[0] >= 224, b[0] == 169 && b[1] == 254,
		b[0] == 192 && b[1] == 0 && b[2] == 0,   // protocol assignments, RFC 6890
		b[0] == 192 && b[1] == 88 && b[2] == 99, // relays of 6to4, RFC 7526
		b[0] == 198 && b[1]&0xfe == 18:          // benchmarks, RFC 2544; here the sandbox's own address and handles
		return Special
	}
	// 192.0.2.0/24, 198.51.100.0/24 and 203.0.113.0/24 are for documentation (RFC 5737). No service has them, so they
	// are no target, but networks that are made for a test use them as the outside world.
	return Public
}

func class6(a netip.Addr) Class {
	b := a.As16()
	var w [8]uint16
	for i := range w {
		w[i] = uint16(b[2*i])<<8 | uint16(b[2*i+1])
	}
	switch {
	case metadata6(w):
		return Metadata
	case w[0] == 0xfd6d && w[1] == 0x6370 && w[2] == 0x7362: // the sandbox's own
		return Special
	case b[0]&0xfe == 0xfc:
		return Private
	case a.Is4In6(), [6]uint16(w[:6]) == [6]uint16{0x64, 0xff9b}, [3]uint16(w[:3]) == [3]uint16{0x64, 0xff9b, 1}:
		return Public // as far as the address inside is
	case b[0]&0xe0 != 0x20:
		// All that is not given out for global unicast: ::, ::1, ::/96, fe80::/10, ff00::/8, 100::/64, and fec0::/10,
		// which RFC 3879 took back.
		return Special
	case w[0] == 0x2001 && w[1] != 0 && w[1] < 0x200: // protocol assignments, benchmarks, ORCHIDs; 0 is Teredo
		return Special
	}
	return Public // 2001:db8::/32 (RFC 3849) too, as the documentation's IPv4 addresses are
}

// metadata6 reports whether an address is one of the clouds'.
func metadata6(w [8]uint16) bool {
	if w[0] == 0xfd00 && w[1] == 0xec2 { // Amazon: ::254, ::23 and others
		return true
	}
	switch w {
	case [8]uint16{0xfd20, 0xce, 7: 0x254}, // Google
		[8]uint16{0xfd00, 0xc1, 6: 0xa9fe, 7: 0xa9fe}, // Oracle
		[8]uint16{0xfd00, 0x42, 7: 0x42},              // Scaleway
		[8]uint16{0xfd00, 0xa9fe, 0xa9fe, 7: 1},       // clouds on OpenStack
		[8]uint16{0xfd00, 0x100, 6: 0x100, 7: 0x200}:  // Alibaba
		return true
	}
	return false
}
