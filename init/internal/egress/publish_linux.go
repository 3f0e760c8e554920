package egress

import (
	"net/netip"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// mostCalls is how many connections to published ports live at once. Others wait in the listener's queue.
const mostCalls = 64

// A Publisher lets the host reach ports of one server: it listens on the host, and joins each connection with one that
// it makes inside, by sockets of the server's network namespace. A nil Publisher has no ports.
type Publisher struct {
	set     *loop.Set
	relay   *relay.Relay
	ports   []*published
	sockets []int  // of the server's network namespace, not connected
	asked   int    // sockets that were asked for and have not come
	ask     func() // for one more
	waiting []*call
	calls   map[*call]struct{} // that are not joined
	living  int                // with those that are
	from    listeners
	timer   *loop.Timer
	inside  []netip.Addr // where the server is looked for, in this order
}

// Publish listens on the host, and accepts nothing until [Publisher.Register]. The error is an [order.Refusal].
func Publish(entries []policy.Publish) (*Publisher, error) {
	set, err := loop.NewSet()
	if err != nil {
		return nil, err
	}
	p := &Publisher{set: set, relay: relay.New(set), calls: map[*call]struct{}{}}
	p.from.reserve.Open()
	for _, e := range entries {
		port := &published{Publish: e}
		if port.fd, err = listen(netip.AddrPortFrom(e.Address, e.HostPort)); err == nil {
			p.ports = append(p.ports, port)
			port.at, err = boundTo(port.fd)
		}
		if err != nil {
			p.Close()
			at := netip.AddrPortFrom(e.Address, e.HostPort).String()
			return nil, &order.Refusal{Layer: order.Network, Op: "publish", Path: at, Err: err}
		}
	}
	return p, nil
}

// Begin has connections use these sockets, which the publisher owns from here on. ask asks for one more; each call is
// answered by [Publisher.Give].
func (p *Publisher) Begin(sockets []int, ask func()) error {
	p.sockets, p.ask, p.from.paused = sockets, ask, true
	p.inside = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	for _, port := range p.ports {
		var err error
		if port.member, err = p.set.Add(port.fd, 0, func(uint32) { p.accept(port) }); err != nil {
			return err
		}
		p.from.members = append(p.from.members, port.member)
	}
	if len(sockets) == 0 {
		return nil
	}
	family, err := unix.GetsockoptInt(sockets[0], unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err == nil && family == unix.AF_INET6 {
		p.inside = []netip.Addr{netip.AddrFrom16(p.inside[0].As16()), netip.IPv6Loopback()}
	}
	return err
}

// Register has a loop serve the ports.
func (p *Publisher) Register(l *loop.Loop) {
	if p == nil || p.set == nil {
		return
	}
	p.timer = l.Timer(func() { p.from.due(time.Now()) })
	p.from.pause(false)
	p.set.Register(l)
}

func (p *Publisher) accept(port *published) {
	for range acceptsATurn {
		if p.living == mostCalls {
			p.from.pause(true)
			return
		}
		fd, _, err := unix.Accept4(port.fd, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			if sock.Scarce(err) {
				p.from.refuse(port.fd)
				p.timer.Set(p.from.again)
			}
			return
		}
		p.begin(fd, port.Port)
	}
}

// Give takes over a socket that was asked for. Without one the connection that has waited longest is reset.
func (p *Publisher) Give(sockets []int) {
	if p == nil || p.set == nil {
		for _, fd := range sockets {
			unix.Close(fd)
		}
		return
	}
	p.asked = max(p.asked-1, 0)
	p.sockets = append(p.sockets, sockets...)
	if len(p.waiting) == 0 {
		return
	}
	c := p.waiting[0]
	p.waiting = p.waiting[1:]
	if len(p.sockets) == 0 {
		c.end()
		return
	}
	c.connect()
}

// refill asks for as many sockets as are missing.
func (p *Publisher) refill() {
	for len(p.sockets)+p.asked < layers.PublishReady+len(p.waiting) {
		p.asked++
		p.ask()
	}
}

// Stop ends the ports: nothing new reaches a server that has ended. Joined connections stay so.
func (p *Publisher) Stop() {
	if p == nil {
		return
	}
	for _, port := range p.ports {
		port.member.Remove()
		unix.Close(port.fd)
	}
	p.ports = nil
	p.endCalls()
}

// endCalls resets the connections that are not joined.
func (p *Publisher) endCalls() {
	for c := range p.calls {
		c.end()
	}
	p.waiting = nil
}

// Finish carries the server's last bytes, until then at the latest, and serves an engine meanwhile. The server has
// ended, and the loop too.
func (p *Publisher) Finish(until time.Time, beside *Engine, wait Wait) {
	if p == nil || p.set == nil {
		return
	}
	if beside != nil && beside.set != nil {
		if m, err := p.set.Add(beside.FD(), unix.EPOLLIN, func(uint32) { beside.Serve() }); err == nil {
			defer m.Remove()
		}
	}
	p.Stop()
	p.relay.Finish()
	for p.living > 0 {
		left := time.Until(until)
		if left <= 0 {
			return
		}
		_, _ = wait([]unix.PollFd{{Fd: int32(p.set.FD()), Events: unix.POLLIN}}, int(left/time.Millisecond)+1)
		p.set.Serve()
	}
}

// Close resets all connections, and closes the ports and sockets.
func (p *Publisher) Close() {
	if p == nil || p.set == nil {
		return
	}
	p.Stop()
	p.relay.Close()
	for _, fd := range p.sockets {
		unix.Close(fd)
	}
	p.sockets = nil
	p.from.reserve.Close()
	p.set.Close()
	p.set = nil
}
