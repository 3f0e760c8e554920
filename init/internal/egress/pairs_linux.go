package egress

import (
	"net/netip"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/pair"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/tap"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// Pairs are an engine as a server without a network namespace of its own reaches it, whose sockets are pairs: what
// package pair calls a Network.
type Pairs struct{ engine *Engine }

// PairsOf are those of an engine that was made for them.
func PairsOf(e *Engine) *Pairs { return &Pairs{e} }

// nameOf is the name whose handle an address is. A server with the machine's own hosts file may have it from there: the
// first name of these that is allowed gets the address as its handle, if no other name has it.
func nameOf(e *Engine, a netip.Addr) (string, bool) {
	name, ok := e.table.NameOf(a)
	if ok || !e.host.shared {
		return name, ok
	}
	for _, listed := range e.lookups.resolver.NamesOf(a) {
		name, valid := e.rules.Canonical(listed)
		if !valid || !e.rules.Name(name).Allowed {
			continue
		}
		if handle, err := e.table.Handle(name, a.Is6(), []netip.Addr{a}); err == nil && handle == a {
			return name, true
		}
	}
	return "", false
}

// searched reports whether a name is an allowed one that a server with the machine's search list completes by it: the
// server asks for that first (resolv.conf(5), ndots), and for the name itself next.
func searched(e *Engine, name string) bool {
	if !e.host.shared {
		return false
	}
	for _, domain := range e.lookups.resolver.Search() {
		if short, ok := strings.CutSuffix(name, "."+domain); ok && e.rules.Name(short).Allowed {
			return true
		}
	}
	return false
}

// Set is the one that waits for the engine's descriptors.
func (p *Pairs) Set() *loop.Set { return p.engine.set }

// Connect joins the other end of a server's socket with a connection to the address, and owns the end from here on. It
// is false if the policy refuses the address, and if there are too many connections.
func (p *Pairs) Connect(end int, to netip.AddrPort, on pair.Events) bool {
	e := p.engine
	defer arm(e)
	if to.Port() == layers.PortDNS {
		return e.asked.join(end, on)
	}
	return e.accepter.open(end, to, on)
}

// Ask answers a question of the domain name system, at once or later; a packet that is none is not answered.
func (p *Pairs) Ask(packet []byte, reply func([]byte)) bool {
	defer arm(p.engine)
	return p.engine.asked.ask(packet, false, reply)
}

// Serve does a bounded piece of all work that there is.
func (p *Pairs) Serve() { p.engine.Serve() }

// arm sets the timer for work that no descriptor of the set's began.
func arm(e *Engine) { e.timer.Set(e.next()) }

// Lost tells of a datagram of the server's, which goes nowhere.
func (p *Pairs) Lost(to netip.AddrPort) {
	p.engine.refused(tap.Refused{UDP: true, Addr: to.Addr(), Port: to.Port()})
}

// Refused tells of a call that a server without a network namespace of its own cannot make.
func (p *Pairs) Refused(call string) {
	p.engine.denials.tell(&order.Denied{Act: order.Act{Kind: order.DeniedSyscall, Syscall: call},
		Errno: unix.ErrnoName(unix.EACCES)})
}

// Full tells of sockets that were not made: for want of descriptors, or because there are too many.
func (p *Pairs) Full(err error) {
	switch {
	case err == nil:
		p.engine.denials.limit(limitSockets)
	case sock.Scarce(err):
		p.engine.denials.files(err)
	}
}
