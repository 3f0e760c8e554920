package match

import (
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Host is the destination of a client: a name or an address, the other one is zero.
type Host struct {
	Name    string // canonical
	Address netip.Addr
}

// HostOf reads a name or an address, IPv6 in brackets or without. False means that no client can connect to it by that
// name, and no entry can name it.
func HostOf(s string) (Host, bool) {
	text := s
	if len(s) > 1 && s[0] == '[' && s[len(s)-1] == ']' {
		text = s[1 : len(s)-1]
	}
	if a, err := netip.ParseAddr(text); err == nil && (text == s || a.Is6()) {
		return Host{Address: a.Unmap()}, true
	}
	name, ok := canonical(s)
	return Host{Name: name}, ok
}

// Ask says whether a port of a host is open. Loopback addresses are those of localhost.
func (r *Rules) Ask(h Host, port uint16) Reason {
	switch {
	case h.Name == localhost || h.Address.IsLoopback():
		return reason(r.allowed.of(localhost), r.denied.of(localhost), port)
	case h.Address.IsValid():
		return r.Address(h.Address, port)
	}
	return r.Port(h.Name, port)
}

// Which are the entries that decide about a port of a host: positions in the policy's lists.
type Which struct {
	Opens     []int // of allowedDomains, that alone would open the port
	Elsewhere []int // of allowedDomains, that name the host and open other ports of it alone
	Closes    []int // of deniedDomains
}

// Decide asks the rules of each entry by itself. Rules keep no positions, so that a launch has no work with them.
func Decide(n *policy.Network, h Host, port uint16) (w Which) {
	for i := range n.AllowedDomains {
		switch New(&policy.Network{AllowedDomains: n.AllowedDomains[i : i+1]}).Ask(h, port) {
		case Open:
			w.Opens = append(w.Opens, i)
		case WrongPort:
			w.Elsewhere = append(w.Elsewhere, i)
		}
	}
	for i := range n.DeniedDomains {
		if New(&policy.Network{DeniedDomains: n.DeniedDomains[i : i+1]}).Ask(h, port) == Denied {
			w.Closes = append(w.Closes, i)
		}
	}
	return w
}

// Dials reports whether a connection may go to an address of that class, to which a name led or which an entry is. Of
// private ones those that allowPrivate opens, or an entry that is the address. Port 0 asks for any port.
func (r *Rules) Dials(a netip.Addr, port uint16, class addresses.Class, allowPrivate bool) bool {
	if r.DeniedAddress(a, port) {
		return false
	}
	named := r.Literal(a)
	if port != 0 {
		named = r.Address(a, port) == Open
	}
	return addresses.Allowed(class, allowPrivate) || named && class == addresses.Private
}
