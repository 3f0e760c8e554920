package pair

import (
	"encoding/binary"
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"golang.org/x/sys/unix"
)

const (
	mostDatagram   = 4096 // bytes; longer ones are no questions
	datagramsATurn = 32

	msgFastOpen           = 0x20000000 // of send(2)
	nameSize, msghdrNames = 8, 12      // in struct msghdr: where its first two fields, name and size, are
)

// take takes datagrams that were sent without an address.
func (s *Sockets) take(x *socket) {
	var b [mostDatagram]byte
	for range datagramsATurn {
		n, _, flags, _, err := unix.Recvmsg(x.end, b[:], nil, unix.MSG_DONTWAIT) // descriptors are closed: unix(7)
		if err != nil || n == 0 {
			return
		}
		if flags&unix.MSG_TRUNC == 0 {
			s.send(x, b[:n], x.peer)
		}
	}
}

// send takes a datagram to where it was sent; not valid: to no known address.
func (s *Sockets) send(x *socket, packet []byte, to netip.AddrPort) {
	if to.IsValid() && to.Port() != layers.PortDNS {
		s.network.Lost(to)
		return
	}
	asked := s.network.Ask(packet, func(answer []byte) {
		if x.end >= 0 {
			_, _ = unix.SendmsgN(x.end, answer, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		}
	})
	if !asked && !to.IsValid() {
		s.network.Refused("sendmsg") // the kernel passes on no address of that
	}
}

// sendTo answers sendto(2) with an address. Of a stream's the kernel says EISCONN: TCP would take no notice of it.
func (c *call) sendTo() {
	x, err := c.socket()
	switch {
	case err != nil:
	case x.kind == unix.SOCK_DGRAM:
		if err = c.sendDatagram(x); err == nil {
			c.returns(int64(c.Args[2]))
			return
		}
	case c.Args[3]&msgFastOpen != 0:
		err = unix.EOPNOTSUPP
	default:
		err = errNotOurs
	}
	c.done(err)
}

func (c *call) sendDatagram(x *socket) error {
	to, err := c.address(x, 4)
	switch {
	case err != nil:
		return err
	case c.Args[2] > mostDatagram:
		return unix.EMSGSIZE
	case !to.IsValid():
		to = x.peer
	}
	packet := make([]byte, c.Args[2])
	if err := c.read(c.Args[1], packet); err != nil {
		return err
	}
	if !to.IsValid() {
		return unix.EDESTADDRREQ
	}
	x.last = to
	c.send(x, packet, to)
	if to.Port() != layers.PortDNS {
		return unix.ECONNREFUSED
	}
	return nil
}

// receiveFrom answers recvfrom(2) with an address: that is written, and the kernel then reads the datagram.
func (c *call) receiveFrom() {
	var room [4]byte
	if x, err := c.socket(); err == nil && c.read(c.Args[5], room[:]) == nil {
		c.from(x, c.Args[4], int32(binary.NativeEndian.Uint32(room[:])))
	}
	c.goOn()
}

// receive answers recvmsg(2) in the same way: musl's resolver (from 1.2.4 on) looks at the address.
func (c *call) receive() {
	var head [msghdrNames]byte
	if x, err := c.socket(); err == nil && c.read(c.Args[1], head[:]) == nil {
		c.from(x, binary.NativeEndian.Uint64(head[:]), int32(binary.NativeEndian.Uint32(head[nameSize:])))
	}
	c.goOn()
}

// from writes the address that a datagram of a socket comes from. The kernel has none for a pair, leaves these bytes as
// they are, and gives their length as 0.
func (c *call) from(x *socket, at uint64, room int32) {
	source := x.peer
	if x.last.IsValid() {
		source = x.last
	}
	if x.kind == unix.SOCK_DGRAM && source.IsValid() && at != 0 && room > 0 {
		b := sockaddr(source, x.family)
		_ = c.write(at, b[:min(len(b), int(room))])
	}
}
