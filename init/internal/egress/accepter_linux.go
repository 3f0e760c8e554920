package egress

import (
	"net/netip"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/pair"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"golang.org/x/sys/unix"
)

// The sandbox's own addresses.
var (
	ownIPv4 = netip.MustParseAddr(layers.EgressIPv4)
	ownIPv6 = netip.MustParseAddr(layers.EgressIPv6)
)

const (
	acceptsATurn    = 16
	mostConnections = 512
	helloTime       = 10 * time.Second // for a TLS client that has begun to say its server name
)

// accepter takes the server's connections, and joins each with one of the host's own.
type accepter struct {
	engine *Engine
	relay  *relay.Relay
	dialer *dial.Dialer
	proxy  dial.Proxy
	checks bool // network.checkServerName
	living int
	from   listeners
	alone  map[*connection]struct{} // that have no connection of the host's yet
	begun  []*connection            // with a hello that is not complete, in the order of their deadlines
}

// listen has the set wait for connections.
func (d *accepter) listen(fd int, accept func()) error {
	m, err := d.engine.set.Add(fd, unix.EPOLLIN, func(uint32) { accept() })
	d.from.members = append(d.from.members, m)
	return err
}

// accept takes connections to a port of the policy.
func (d *accepter) accept(listener int, port uint16) {
	for range acceptsATurn {
		fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			d.failed(listener, err)
			return
		}
		local, err := unix.Getsockname(fd)
		if err != nil || !d.open(fd, netip.AddrPortFrom(addressOf(local), port), nil) {
			reset(fd)
		}
	}
}

// failed is called where a connection cannot be accepted. Before the server is released there is no loop that would end
// a pause, and the launch has its own time limit.
func (d *accepter) failed(listener int, err error) {
	switch {
	case !sock.Scarce(err):
	case d.engine.denials.begun:
		d.engine.denials.files(err)
		d.from.refuse(listener)
	default:
		d.from.reset(listener)
	}
}

// open begins to join a connection of the server's to an address, or reports that it is refused. on is nil for
// one that the kernel has made.
func (d *accepter) open(fd int, to netip.AddrPort, on pair.Events) bool {
	at, ok := d.allowed(to)
	if !ok {
		return false
	}
	if d.living == mostConnections {
		d.engine.denials.limit(limitConnections)
		return false
	}
	c := &connection{accepter: d, fd: fd, at: at, on: on}
	// Only the end by a reset is reported now, and that of a pair: bytes and the end of input wait for the other side.
	var err error
	if c.member, err = d.engine.set.Add(fd, unix.EPOLLET, func(events uint32) { c.hungUp(events) }); err != nil {
		return false
	}
	d.living++
	if d.alone == nil {
		d.alone = map[*connection]struct{}{}
	}
	d.alone[c] = struct{}{}
	_, named := nameOf(d.engine, to.Addr())
	c.checks = named && d.checks && to.Port() == 443
	d.engine.denials.count(at).Connections++
	d.find(at, to.Addr(), c.dial)
	return true
}

// allowed is the target of a connection to an address, if the policy opens it.
func (d *accepter) allowed(to netip.AddrPort) (at target, ok bool) {
	e := d.engine
	if to.Addr().IsLoopback() {
		at = target{"localhost", to.Port()}
		if ok = e.rules.Localhost(to.Port()); !ok {
			e.denials.port(at)
		}
		return at, ok
	}
	if name, named := nameOf(e, to.Addr()); named {
		at = target{name, to.Port()}
		if ok = e.rules.Port(name, to.Port()) == match.Open; !ok {
			e.denials.port(at)
		}
		return at, ok
	}
	at = target{to.Addr().String(), to.Port()}
	if ok = e.rules.Address(to.Addr(), to.Port()) == match.Open; ok {
		return at, true
	}
	if e.rules.Literal(to.Addr()) {
		e.denials.port(at)
	} else {
		e.denials.address(to)
	}
	return at, false
}

// next is when a client's time for its server name is over, or connections are accepted again.
func (d *accepter) next() time.Time { return earliest(d.nextHello(), d.from.again) }

func (d *accepter) nextHello() time.Time {
	if len(d.begun) == 0 {
		return time.Time{}
	}
	return d.begun[0].deadline
}

func (d *accepter) due(now time.Time) {
	d.from.due(now)
	for at := d.nextHello(); !at.IsZero() && !now.Before(at); at = d.nextHello() {
		c := d.begun[0]
		c.decided()
		d.engine.denials.serverName(c.at, "")
		c.stream.Reset()
	}
}

// finish ends the connections that wait for a host, and have nothing to say there: no launcher stays for a dial with no
// bytes to carry.
func (d *accepter) finish() {
	for c := range d.alone {
		if n, err := relay.Unread(c.fd); n == 0 && err == nil {
			c.end()
		}
	}
}

func (d *accepter) close() {
	for c := range d.alone {
		c.end()
	}
	d.relay.Close()
	d.dialer.Close()
	d.from.reserve.Close()
}

// reset closes a connection so that its client gets an error and no empty answer: socket(7), SO_LINGER.
func reset(fd int) {
	unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	unix.Close(fd)
}
