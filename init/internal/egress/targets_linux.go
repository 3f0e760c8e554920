package egress

import (
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// This file: the target that is dialled for a connection.

// find calls done with the dial's target, or with an error.
func (d *accepter) find(at target, a netip.Addr, done func(dial.Target, error)) {
	t := dial.Target{Name: at.host, Port: at.port}
	switch {
	case a.IsLoopback():
		t.IPv4First = a.Is4()
		t.Addresses = []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.port),
			netip.AddrPortFrom(netip.IPv6Loopback(), at.port)}
		done(t, nil)
	case at.host == a.String(): // an entry that is an address
		d.literal(t, a, done)
	case d.proxy.Uses(at.host, at.port):
		done(t, nil)
	default:
		d.resolve(t, done)
	}
}

func (d *accepter) literal(t dial.Target, a netip.Addr, done func(dial.Target, error)) {
	good, _ := d.engine.host.vetted([]netip.Addr{a}, t.Port, d.engine.rules)
	if len(good) == 0 {
		d.engine.denials.private(t.Name, addresses.Own)
		done(t, unix.EACCES)
		return
	}
	t.Addresses = []netip.AddrPort{netip.AddrPortFrom(a, t.Port)}
	done(t, nil)
}

// resolve vets the addresses that a name has now: the address inside is a handle, and says nothing of them.
func (d *accepter) resolve(t dial.Target, done func(dial.Target, error)) {
	e, left := d.engine, 2
	var found []netip.Addr
	var failed error
	add := func(a resolve.Answer) {
		found = append(found, a.Addresses...)
		if a.Code == resolve.Failed {
			failed = a.Err
		}
		if left--; left > 0 {
			return
		}
		good, bad := e.host.vetted(found, t.Port, e.rules)
		for _, a := range good {
			t.Addresses = append(t.Addresses, netip.AddrPortFrom(a, t.Port))
		}
		switch {
		case len(good) > 0:
			done(t, nil)
		case len(found) > 0:
			e.denials.private(t.Name, bad)
			done(t, unix.EACCES)
		default:
			if failed == nil {
				failed = unix.ENOENT
			}
			e.denials.upstream(target{t.Name, t.Port}, failed)
			done(t, failed)
		}
	}
	for _, kind := range [...]dnsmessage.Type{dnsmessage.TypeAAAA, dnsmessage.TypeA} {
		if kind == dnsmessage.TypeAAAA && !e.host.hasIPv6() {
			add(resolve.Answer{Code: resolve.NoData})
			continue
		}
		e.lookups.get(resolve.Query{Name: t.Name, Type: kind}, add)
	}
}

// byProxy reports whether the company's proxy is asked for a name on any of its ports.
func (d *accepter) byProxy(name string) bool {
	for _, port := range d.engine.rules.PortsOf(name) {
		if d.proxy.Uses(name, port) {
			return true
		}
	}
	return false
}
