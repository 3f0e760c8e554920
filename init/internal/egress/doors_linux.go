package egress

import (
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dial"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/hello"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/vet"
	"github.com/security-mcp/mcp-sandbox/init/internal/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/net/dns/dnsmessage"
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

// doors takes the server's connections, and joins each with one of the host's own.
type doors struct {
	engine *Engine
	relay  *relay.Relay
	dialer *dial.Dialer
	proxy  dial.Proxy
	checks bool // network.checkServerName
	living int
	spare  spare
	alone  map[*connection]struct{} // that have no connection of the host's yet
	begun  []*connection            // whose TLS client has not said all, in the order of their deadlines
}

// A connection of the server's.
type connection struct {
	doors    *doors
	fd       int
	at       target
	member   *loop.Member // while there is no connection of the host's
	cancel   func()       // the dial
	stream   *relay.Stream
	checks   bool      // a TLS client has to ask for an allowed name
	deadline time.Time // for that, once its first byte has come; zero: known
}

// accept takes connections to a port of the policy.
func (d *doors) accept(listener int, port uint16) {
	for range acceptsATurn {
		fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			if err == unix.EMFILE || err == unix.ENFILE {
				d.engine.told.limit(limitFiles)
				d.spare.refuse(listener)
			}
			return
		}
		if !d.open(fd, port) {
			reset(fd)
		}
	}
}

// open begins to join a connection, or reports that it is refused.
func (d *doors) open(fd int, port uint16) bool {
	local, err := unix.Getsockname(fd)
	if err != nil {
		return false
	}
	to := netip.AddrPortFrom(addressOf(local), port)
	at, ok := d.allowed(to)
	if !ok {
		return false
	}
	if d.living == mostConnections {
		d.engine.told.limit(limitConnections)
		return false
	}
	c := &connection{doors: d, fd: fd, at: at}
	// Only the end by a reset is told of now: bytes and the end of input wait for the other side.
	if c.member, err = d.engine.set.Add(fd, unix.EPOLLET, func(events uint32) { c.hungUp(events) }); err != nil {
		return false
	}
	d.living++
	if d.alone == nil {
		d.alone = map[*connection]struct{}{}
	}
	d.alone[c] = struct{}{}
	_, named := d.engine.table.NameOf(to.Addr())
	c.checks = named && d.checks && port == 443
	d.engine.told.count(at).Connections++
	d.find(at, to.Addr(), c.dial)
	return true
}

// allowed is the target of a connection to an address, if the policy opens it.
func (d *doors) allowed(to netip.AddrPort) (at target, ok bool) {
	e := d.engine
	if to.Addr().IsLoopback() {
		at = target{"localhost", to.Port()}
		if ok = e.rules.Localhost(to.Port()); !ok {
			e.told.port(at)
		}
		return at, ok
	}
	if name, named := e.table.NameOf(to.Addr()); named {
		at = target{name, to.Port()}
		if ok = e.rules.Port(name, to.Port()) == match.Open; !ok {
			e.told.port(at)
		}
		return at, ok
	}
	at = target{to.Addr().String(), to.Port()}
	if ok = e.rules.Address(to.Addr(), to.Port()) == match.Open; ok {
		return at, true
	}
	if e.rules.Literal(to.Addr()) {
		e.told.port(at)
	} else {
		e.told.address(to)
	}
	return at, false
}

// find calls done with what to dial for a target, or with an error.
func (d *doors) find(at target, a netip.Addr, done func(dial.Target, error)) {
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

func (d *doors) literal(t dial.Target, a netip.Addr, done func(dial.Target, error)) {
	good, _ := d.engine.host.vetted([]netip.Addr{a}, t.Port, d.engine.rules)
	if len(good) == 0 {
		d.engine.told.private(t.Name, vet.Own)
		done(t, unix.EACCES)
		return
	}
	t.Addresses = []netip.AddrPort{netip.AddrPortFrom(a, t.Port)}
	done(t, nil)
}

// resolve vets the addresses that a name has now: the address inside is a handle, and says nothing of them.
func (d *doors) resolve(t dial.Target, done func(dial.Target, error)) {
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
			e.told.private(t.Name, bad)
			done(t, unix.EACCES)
		default:
			if failed == nil {
				failed = unix.ENOENT
			}
			e.told.upstream(target{t.Name, t.Port}, failed)
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

// dial connects on the host's side.
func (c *connection) dial(t dial.Target, err error) {
	if c.fd < 0 {
		return // reset meanwhile
	}
	if err != nil {
		c.end()
		return
	}
	c.cancel = c.doors.dialer.Dial(t, func(fd int, err error) {
		c.cancel = nil
		if err != nil {
			if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
				c.doors.engine.told.limit(limitFiles)
			} else {
				c.doors.engine.told.upstream(c.at, err)
			}
			c.end()
			return
		}
		c.join(fd)
	})
}

// join hands both connections to the relay.
func (c *connection) join(outside int) {
	c.member.Remove()
	delete(c.doors.alone, c)
	count := c.doors.engine.told.count(c.at)
	c.stream = c.doors.relay.Join(c.fd, outside, nil, func(x relay.Ended) {
		count.Sent += x.Sent
		count.Received += x.Received
		c.fd = -1
		c.left()
	})
	if c.checks && c.fd >= 0 {
		c.stream.Hold(c.gate)
	}
}

// gate decides by the first bytes of the server's whether they go out: a TLS client has to ask for an allowed name.
func (c *connection) gate(first []byte) relay.Verdict {
	if len(first) == 0 { // the end of input: nothing is asked for
		return relay.Pass
	}
	result, asked := hello.Name(first)
	e := c.doors.engine
	switch result {
	case hello.NeedMore:
		if c.deadline.IsZero() {
			c.deadline = time.Now().Add(helloTime)
			c.doors.begun = append(c.doors.begun, c)
		}
		return relay.Wait
	case hello.ServerName:
		if name, ok := e.rules.Canonical(asked); !ok || e.rules.Port(name, c.at.port) != match.Open {
			e.told.serverName(c.at, asked)
			return relay.Refuse
		}
	case hello.None:
		e.told.serverName(c.at, "")
		return relay.Refuse
	}
	c.decided()
	return relay.Pass
}

// hungUp is called while there is no connection of the host's.
func (c *connection) hungUp(events uint32) {
	if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		c.end()
	}
}

// end resets a connection that is not joined.
func (c *connection) end() {
	if c.fd < 0 {
		return
	}
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
	}
	c.member.Remove()
	delete(c.doors.alone, c)
	reset(c.fd)
	c.fd = -1
	c.left()
}

func (c *connection) left() {
	c.decided()
	c.doors.living--
}

// decided is called when nothing more is awaited of a TLS client. Those that come and go leave nothing in the list.
func (c *connection) decided() {
	if !c.deadline.IsZero() {
		c.deadline = time.Time{}
		c.doors.begun = slices.DeleteFunc(c.doors.begun, func(other *connection) bool { return other == c })
	}
}

// next is when a client's time for its server name is over.
func (d *doors) next() time.Time {
	if len(d.begun) == 0 {
		return time.Time{}
	}
	return d.begun[0].deadline
}

func (d *doors) due(now time.Time) {
	for at := d.next(); !at.IsZero() && !now.Before(at); at = d.next() {
		c := d.begun[0]
		c.decided()
		d.engine.told.serverName(c.at, "")
		c.stream.Reset()
	}
}

// byProxy reports whether the company's proxy is asked for a name on any of its ports.
func (d *doors) byProxy(name string) bool {
	for _, port := range d.engine.rules.PortsOf(name) {
		if d.proxy.Uses(name, port) {
			return true
		}
	}
	return false
}

func (d *doors) close() {
	for c := range d.alone {
		c.end()
	}
	d.relay.Close()
	d.dialer.Close()
	d.spare.close()
}

// reset closes a connection so that its client gets an error and no empty answer: socket(7), SO_LINGER.
func reset(fd int) {
	unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	unix.Close(fd)
}
