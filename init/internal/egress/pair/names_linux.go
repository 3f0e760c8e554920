package pair

import (
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"golang.org/x/sys/unix"
)

// The addresses that a socket is said to have.
var (
	ownIPv4 = netip.MustParseAddr(layers.EgressIPv4)
	ownIPv6 = netip.MustParseAddr(layers.EgressIPv6)
)

const (
	firstPort    = 32768 // of those that sockets are said to have
	mostSockaddr = 128   // struct sockaddr_storage, the most that the kernel takes
)

// name says from where a socket reaches its peer.
func (s *Sockets) name(x *socket, to netip.AddrPort) {
	switch {
	case x.bound:
	case !to.IsValid():
		x.local = netip.AddrPortFrom(unspecified(x.family), 0)
	default:
		x.local = netip.AddrPortFrom(own(to.Addr()), s.port())
	}
}

// bind answers bind(2): nothing is bound.
func (c *call) bind() {
	x, err := c.socket()
	if err != nil {
		c.done(err)
		return
	}
	at, err := c.address(x, 1)
	switch {
	case err != nil:
	case !at.IsValid():
		err = unix.EAFNOSUPPORT
	case x.bound || x.peer.IsValid():
		err = x.stream.calls.again(c, unix.EINVAL)
	default:
		if at.Port() == 0 {
			at = netip.AddrPortFrom(at.Addr(), c.port())
		}
		x.local, x.bound = at, true
	}
	x.stream.calls.answer(c, err)
}

// listen answers listen(2): there is no port that anybody could reach.
func (c *call) listen() {
	_, err := c.socket()
	if err == nil {
		c.network.Refused("listen")
		err = unix.EACCES
	}
	c.done(err)
}

// names answers getsockname(2) and getpeername(2).
func (c *call) names() {
	x, err := c.socket()
	if err == nil {
		at := x.local
		if c.Number == unix.SYS_GETPEERNAME {
			if at = x.peer; !at.IsValid() || x.kind == unix.SOCK_STREAM && x.stream.way < connected {
				err = unix.ENOTCONN
			}
		}
		if err == nil {
			err = c.give(sockaddr(at, x.family), c.Args[1], c.Args[2], true)
		}
	}
	c.done(err)
}

// port is one that no other socket of the server is said to have at the moment, or nearly so.
func (s *Sockets) port() uint16 {
	s.nextPort++
	return firstPort + s.nextPort%(1<<16-firstPort)
}

// own is the address from which a peer is reached.
func own(peer netip.Addr) netip.Addr {
	switch {
	case peer.IsLoopback():
		return peer
	case peer.Is4():
		return ownIPv4
	}
	return ownIPv6
}

func unspecified(family int) netip.Addr {
	if family == unix.AF_INET6 {
		return netip.IPv6Unspecified()
	}
	return netip.IPv4Unspecified()
}
