// Package tap reads from raw sockets the refusals of the kernel in a sandbox's network namespace: of a connection to a
// port on which nothing listens, and of a datagram to such a port.
//
//	if refused, ok := tap.TCP4(packet); ok {
//		tell(refused.Addr, refused.Port)
//	}
//
// There are four sockets, SOCK_RAW of IPPROTO_TCP and IPPROTO_ICMP over IPv4, of IPPROTO_TCP and IPPROTO_ICMPV6 over
// IPv6. Each has a filter in the kernel ([FilterTCP], [Unreachable]), lest the segments of a busy connection fill its
// queue, in which case the kernel drops later packets. The functions here compare again all that the filters compare,
// as a packet can be queued before its filter is there.
//
// A server in the sandbox has no raw sockets and so writes no such packet itself, but for the quoted datagram: every
// byte of it is the server's own.
package tap

import (
	"encoding/binary"
	"net/netip"
)

// Refused is a refused connection to Addr and Port, or a refused datagram.
type Refused struct {
	Addr netip.Addr
	Port uint16
	UDP  bool
	// Payload is the datagram without its headers, a part of the packet that was parsed. The kernel quotes no more than
	// a message of 576 bytes holds over IPv4 (RFC 1812, 4.3.2.3), 520 of them payload, and of 1,280 over IPv6
	// (RFC 4443, 2.4 c), 1,184 of them payload.
	Payload []byte
}

const (
	header4   = 20 // of IPv4 without options
	header6   = 40
	headerTCP = 20
	headerUDP = 8
	// Of an ICMP or ICMPv6 error: type, code, checksum and four bytes that mean nothing here.
	headerICMP = 8

	protocolICMP = 1
	protocolTCP  = 6
	protocolUDP  = 17

	// Type and code of "port unreachable" (RFC 792, RFC 4443).
	unreachable4 = 3<<8 | 3
	unreachable6 = 1<<8 | 4

	flagsMask    = 0x17 // ACK, RST, SYN and FIN
	flagsRefused = 0x14 // ACK and RST

	fragmentOffset = 0x1fff
)

// TCP4 reads a packet of the raw socket for TCP over IPv4, which has the IP header (raw(7)). A refused connection is
// answered with RST and ACK, from the address and port that refused, with sequence number 0 (RFC 9293, 3.10.7.1): a
// connection that was open is reset with the number at which it stands.
func TCP4(packet []byte) (Refused, bool) {
	from, _, segment, ok := ip4(packet, protocolTCP)
	if !ok {
		return Refused{}, false
	}
	return refusedTCP(from, segment)
}

// TCP6 reads a packet of the raw socket for TCP over IPv6, which begins with the TCP header (ipv6(7)): from is the
// source address that recvfrom(2) returned with the packet.
func TCP6(packet []byte, from netip.Addr) (Refused, bool) {
	if !from.Is6() {
		return Refused{}, false
	}
	return refusedTCP(from.WithZone(""), packet)
}

func refusedTCP(from netip.Addr, segment []byte) (Refused, bool) {
	if len(segment) < headerTCP || segment[13]&flagsMask != flagsRefused || binary.BigEndian.Uint32(segment[4:]) != 0 {
		return Refused{}, false
	}
	return Refused{Addr: from, Port: word(segment, 0)}, true
}

// ICMP4 reads a packet of the raw socket for ICMP, which has the IP header.
func ICMP4(packet []byte) (Refused, bool) {
	_, _, message, ok := ip4(packet, protocolICMP)
	if !ok || len(message) < headerICMP || word(message, 0) != unreachable4 {
		return Refused{}, false
	}
	_, to, datagram, ok := ip4(message[headerICMP:], protocolUDP)
	if !ok {
		return Refused{}, false
	}
	return refusedUDP(to, datagram)
}

// ICMP6 reads a packet of the raw socket for ICMPv6, which begins with the ICMPv6 header.
func ICMP6(packet []byte) (Refused, bool) {
	if len(packet) < headerICMP+header6 || word(packet, 0) != unreachable6 {
		return Refused{}, false
	}
	quoted := packet[headerICMP:]
	if quoted[0]>>4 != 6 || quoted[6] != protocolUDP {
		return Refused{}, false
	}
	return refusedUDP(netip.AddrFrom16([16]byte(quoted[24:40])), quoted[header6:])
}

// ip4 reads an IPv4 header, of a packet that may be cut. A fragment but for the first has no header of a protocol
// behind the IP header, and raw sockets get packets that have been put together.
func ip4(b []byte, protocol byte) (from, to netip.Addr, payload []byte, ok bool) {
	if len(b) < header4 || b[0]>>4 != 4 || b[9] != protocol || word(b, 6)&fragmentOffset != 0 {
		return from, to, nil, false
	}
	size := int(b[0]&0xf) * 4
	if size < header4 || size > len(b) {
		return from, to, nil, false
	}
	return netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[16:20])), b[size:], true
}

// refusedUDP reads a quoted datagram, which may be cut.
func refusedUDP(to netip.Addr, datagram []byte) (Refused, bool) {
	if len(datagram) < headerUDP || word(datagram, 4) < headerUDP {
		return Refused{}, false
	}
	end := min(int(word(datagram, 4)), len(datagram))
	return Refused{Addr: to, Port: word(datagram, 2), UDP: true, Payload: datagram[headerUDP:end:end]}, true
}

func word(b []byte, at int) uint16 { return binary.BigEndian.Uint16(b[at:]) }
