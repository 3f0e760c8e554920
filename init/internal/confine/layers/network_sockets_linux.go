package layers

import (
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// egressSockets opens the sockets of [EgressSockets], hands them to the shim in one message and closes init's copies.
// So the server's process never has one, and the ports are taken before the server runs: without SO_REUSEPORT no other
// process can listen on them.
type egressSockets struct{ state *egressState }

// backlog is how many connections wait until the shim accepts them; listen(2).
const backlog = 512

func (r egressSockets) layout(b *build) {
	sockets := socketsOf(&b.Policy, b.layout.rules, &b.Machine)
	if len(sockets) == 0 {
		return
	}
	message, fds := carrier(b, MsgEgress, len(sockets))
	opened := make([]openedSocket, len(sockets))
	refused := func(*check) {}
	for i, s := range sockets {
		if s.Kind == TapTCP4 {
			refused = refusePort(b, b.layout.rules.Ports())
		}
		opened[i] = openSocket(b, s, fds.Plus(4*i))
	}
	listed := b.hasEgress()
	b.Step(sys.Sendmsg(sys.FD(fdReady), message, 0)).Returns(program.Int(len(MsgEgress)))
	for i := range opened {
		b.Do(sys.Close(opened[i].number)).For("egress")
		opened[i].kept = b.Observe(sys.Fcntl(opened[i].number, unix.F_GETFD, 0))
	}
	b.prove(func(c *check) {
		proveSockets(c, opened, listed)
		refused(c)
		if listed {
			proveEntries(c, b.layout.rules, opened)
		}
	})
	if listed {
		r.state.ask.layout(b, r.state)
	}
}

// An openedSocket is one of the sockets, and its values as read back.
type openedSocket struct {
	EgressSocket
	fd, kept program.Op
	number   program.Arg // the descriptor: of a refused tap the stand-in's
	other    program.Op  // makes the stand-in

	name    fileRead // of a socket with a port: where it is bound
	address []byte   // and where it has to be
	options []option
}

// An option is a socket option that has to have a value.
type option struct {
	op   program.Op
	at   program.Addr
	want uint32
}

// openSocket opens a socket, and stores its descriptor.
func openSocket(b *build, s EgressSocket, at program.Addr) openedSocket {
	const flags = unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC
	o := openedSocket{EgressSocket: s}
	family, kind, protocol, tap := s.of(b.Machine.IPv6)
	o.fd = b.Do(sys.Socket(family, kind|flags, protocol)).StoreAt(at).For(s.String())
	if tap {
		o.standIn(b, at)
		o.reads(b, unix.SO_DOMAIN, family)
		o.reads(b, unix.SO_PROTOCOL, protocol)
		return o
	}
	o.number = o.fd.Result()
	every := netip.IPv4Unspecified()
	if family == unix.AF_INET6 {
		every = netip.IPv6Unspecified()
	}
	if s.Kind == DNSUDP {
		level, option := packetInfo(family)
		b.Do(sys.SetsockoptInt(o.fd.Result(), level, option, 1)).For(s.String())
		o.readsOf(b, level, option, 1)
	}
	o.address = socketAddress(every, s.Port)
	b.Do(sys.Bind(o.fd.Result(), o.address)).For(s.String())
	if s.Kind != DNSUDP {
		b.Do(sys.Listen(o.fd.Result(), backlog)).For(s.String())
		o.reads(b, unix.SO_ACCEPTCONN, 1)
	}
	own := b.Space(len(o.address))
	o.name = fileRead{b.Observe(sys.Getsockname(o.fd.Result(), own, byte(len(o.address)))), own}
	return o
}

// standIn opens an ordinary socket in the place of a raw one that was refused: by a filter around the launcher, a
// security module, or a kernel that has none. Whoever takes the sockets knows a stand-in by its SO_TYPE.
func (o *openedSocket) standIn(b *build, at program.Addr) {
	var refused, opened program.Label
	o.fd.Else(&refused)
	b.Jump(&opened)
	b.Bind(&refused)
	o.other = b.Do(sys.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)).StoreAt(at)
	o.other.For("in place of " + o.String())
	b.Bind(&opened)
	o.number = program.Word(at) // of which the kernel takes the low half as the descriptor
}

// packetInfo is the option that has a UDP socket tell, for each packet, the address that the packet was for: the answer
// has to come from there. A socket of AF_INET6 tells of packets of IPv4 too.
func packetInfo(family int) (level, option int) {
	if family == unix.AF_INET6 {
		return unix.SOL_IPV6, unix.IPV6_RECVPKTINFO
	}
	return unix.SOL_IP, unix.IP_PKTINFO
}

// of are the arguments of socket(2).
func (s EgressSocket) of(ipv6 bool) (family, kind, protocol int, tap bool) {
	family = unix.AF_INET
	if ipv6 {
		family = unix.AF_INET6
	}
	switch s.Kind {
	case DNSUDP:
		return family, unix.SOCK_DGRAM, 0, false
	case TapTCP4:
		return unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP, true
	case TapICMP4:
		return unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP, true
	case TapTCP6:
		return unix.AF_INET6, unix.SOCK_RAW, unix.IPPROTO_TCP, true
	case TapICMP6:
		return unix.AF_INET6, unix.SOCK_RAW, unix.IPPROTO_ICMPV6, true
	}
	return family, unix.SOCK_STREAM, 0, false
}

// String names the socket in facts and errors.
func (s EgressSocket) String() string {
	switch s.Kind {
	case DNSUDP:
		return "DNS by UDP"
	case DNSTCP:
		return "DNS by TCP"
	case TapTCP4:
		return "refusals of TCP"
	case TapICMP4:
		return "refusals of ICMP"
	case TapTCP6:
		return "refusals of TCP by IPv6"
	case TapICMP6:
		return "refusals of ICMPv6"
	}
	return "port " + portList([]uint16{s.Port})
}

func (o *openedSocket) reads(b *build, name, want int) { o.readsOf(b, unix.SOL_SOCKET, name, want) }

func (o *openedSocket) readsOf(b *build, level, name, want int) {
	at := b.Space(8)
	op := b.Observe(sys.Getsockopt(o.fd.Result(), level, name, at, 4))
	o.options = append(o.options, option{op, at, uint32(want)})
}
