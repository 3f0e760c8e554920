package match

import (
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
)

// Address says whether an entry that is an address opens the port of it. ::ffff:192.0.2.1 is 192.0.2.1.
func (r *Rules) Address(a netip.Addr, port uint16) Reason {
	return reason(r.allowed.ofAddress(a.Unmap()), r.deniedAddress(a), port)
}

// Literal reports whether an entry that is an address opens a port at least of it: then a name may resolve to it.
func (r *Rules) Literal(a netip.Addr) bool {
	return len(r.allowed.ofAddress(a.Unmap()).less(r.deniedAddress(a))) > 0
}

// HasLiterals reports whether any allowed entry is an address.
func (r *Rules) HasLiterals() bool { return len(r.allowed.addresses) > 0 }

// DeniedAddress reports whether a denied entry that is an address closes the port of it, whatever name led there. An
// entry closes the address with any zone, and the IPv6 addresses that lead to an IPv4 one: [addresses.Embedded].
func (r *Rules) DeniedAddress(a netip.Addr, port uint16) bool { return r.deniedAddress(a).has(port) }

func (r *Rules) deniedAddress(a netip.Addr) ports {
	if len(r.denied.addresses) == 0 {
		return ports{}
	}
	a = a.WithZone("")
	p := r.denied.ofAddress(a.Unmap())
	for inside := range addresses.Embedded(a) {
		p = p.and(r.denied.ofAddress(inside))
	}
	return p
}

// address reads the host of an entry.
func address(host string) netip.Addr {
	a, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{} // not one of ParseDomain's, and equal to no address that is asked of
	}
	return a.Unmap()
}
