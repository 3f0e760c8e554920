package egress

import (
	"net/netip"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// A call is a connection of the host's that is not joined.
type call struct {
	of     *Publisher
	port   uint16
	host   int
	inside int          // -1: none
	caller *loop.Member // of host
	member *loop.Member // of inside
	tried  int          // how many addresses
}

// connectTries is how often a connection inside is asked for again where the server's queue is full: 15 seconds in all;
// tcp(7), TCP_SYNCNT.
const connectTries = 3

func (p *Publisher) begin(host int, port uint16) {
	c := &call{of: p, port: port, host: host, inside: -1}
	p.living++
	p.calls[c] = struct{}{}
	var err error
	// Only the end by a reset is reported now: bytes and the end of input wait for the server.
	c.caller, err = p.set.Add(host, unix.EPOLLET, func(events uint32) {
		if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
			c.end()
		}
	})
	if err != nil {
		c.end()
		return
	}
	c.connect()
}

// connect tries the next address with a socket of its own: one that was refused keeps something of the attempt.
func (c *call) connect() {
	p := c.of
	if len(p.sockets) == 0 {
		p.waiting = append(p.waiting, c)
		p.refill()
		return
	}
	last := len(p.sockets) - 1
	c.inside, p.sockets = p.sockets[last], p.sockets[:last]
	p.refill()
	to := netip.AddrPortFrom(p.inside[c.tried], c.port)
	c.tried++
	unix.SetsockoptInt(c.inside, unix.IPPROTO_TCP, unix.TCP_SYNCNT, connectTries)
	err := unix.Connect(c.inside, sockaddr(to))
	if err == unix.EINPROGRESS {
		c.member, err = p.set.Add(c.inside, unix.EPOLLOUT, func(uint32) {
			c.member.Remove()
			c.connected(socketError(c.inside))
		})
		if err == nil {
			return
		}
	}
	c.connected(err)
}

// socketError is the outcome of a connect(2) that has ended.
func socketError(fd int) error {
	errno, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && errno != 0 {
		err = unix.Errno(errno)
	}
	return err
}

func (c *call) connected(err error) {
	switch {
	case err == unix.ECONNREFUSED && c.tried < len(c.of.inside):
		unix.Close(c.inside)
		c.inside = -1
		c.connect()
	case err != nil || toItself(c.inside):
		c.end()
	default:
		c.join()
	}
}

// toItself reports whether a connection has one end: the kernel may take the port that is connected to as the socket's
// own where nothing listens there, and two SYNs that cross are a connection (RFC 9293, section 3.5).
func toItself(fd int) bool {
	local, err := unix.Getsockname(fd)
	if err != nil {
		return true
	}
	peer, err := unix.Getpeername(fd)
	return err != nil || addrPortOf(local) == addrPortOf(peer)
}

// join hands both connections to the relay.
func (c *call) join() {
	p := c.of
	c.caller.Remove()
	delete(p.calls, c)
	p.relay.Join(c.inside, c.host, nil, func(relay.Ended) { p.left() })
}

// end resets a connection that is not joined.
func (c *call) end() {
	p := c.of
	if _, open := p.calls[c]; !open {
		return
	}
	delete(p.calls, c)
	if i := slices.Index(p.waiting, c); i >= 0 {
		p.waiting = slices.Delete(p.waiting, i, i+1)
	}
	c.caller.Remove()
	c.member.Remove()
	reset(c.host)
	if c.inside >= 0 {
		reset(c.inside)
	}
	p.left()
}

// left makes room for a caller.
func (p *Publisher) left() {
	p.living--
	p.from.pause(false)
}
