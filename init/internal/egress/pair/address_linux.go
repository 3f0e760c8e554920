package pair

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Sizes and places of struct sockaddr_in and struct sockaddr_in6; ip(7), ipv6(7).
const (
	sizeIn, sizeIn6 = 16, 28
	leastIn6        = 24 // the kernel takes the one without a scope: RFC 2133
	atPort          = 2
	atIn, atIn6     = 4, 8
)

// address reads the address of a call for a socket, argument i, and its size behind that; not valid is AF_UNSPEC.
func (c *waiter) address(x *socket, i int) (netip.AddrPort, error) {
	size := c.int(i + 1)
	if size < 0 || size > mostSockaddr {
		return netip.AddrPort{}, unix.EINVAL
	}
	var b [sizeIn6]byte
	given := b[:min(size, len(b))]
	if err := c.read(c.Args[i], given); err != nil {
		return netip.AddrPort{}, err
	}
	_, v6Only := x.options[option{unix.SOL_IPV6, unix.IPV6_V6ONLY}]
	return parse(given, x.family, v6Only)
}

// parse is the address that a socket of a family gets. Of IPv4 there is one form, whatever the family is.
func parse(b []byte, family int, v6Only bool) (none netip.AddrPort, err error) {
	if len(b) < 2 {
		return none, unix.EINVAL
	}
	is := int(binary.NativeEndian.Uint16(b))
	if is == unix.AF_UNSPEC {
		return none, nil
	}
	size := sizeIn
	if family == unix.AF_INET6 {
		size = leastIn6
	}
	if len(b) < size {
		return none, unix.EINVAL
	}
	if is != family {
		return none, unix.EAFNOSUPPORT
	}
	port := binary.BigEndian.Uint16(b[atPort:])
	if family == unix.AF_INET {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[atIn:])), port), nil
	}
	a := netip.AddrFrom16([16]byte(b[atIn6:]))
	if a.Is4In6() && v6Only {
		return none, unix.ENETUNREACH
	}
	return netip.AddrPortFrom(a.Unmap(), port), nil
}

// sockaddr is the form that a socket of a family has of an address.
func sockaddr(at netip.AddrPort, family int) []byte {
	var b [sizeIn6]byte
	binary.NativeEndian.PutUint16(b[:], uint16(family))
	binary.BigEndian.PutUint16(b[atPort:], at.Port())
	if family == unix.AF_INET6 {
		a := at.Addr().As16()
		copy(b[atIn6:], a[:])
		return b[:]
	}
	a := at.Addr().As4()
	copy(b[atIn:], a[:])
	return b[:sizeIn]
}
