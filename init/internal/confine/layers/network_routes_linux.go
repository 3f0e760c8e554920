package layers

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Addresses that are on no network: for documentation, RFC 5737 and RFC 3849.
var (
	documentation4 = netip.AddrFrom4([4]byte{192, 0, 2, 1})
	documentation6 = netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: 1})
)

// The sandbox's own addresses, as their texts say.
var (
	egress4 = netip.AddrFrom4([4]byte{198, 18, 0, 1})
	egress6 = netip.AddrFrom16([16]byte{0xfd, 0x6d, 0x63, 0x70, 0x73, 0x62, 15: 1})
)

// egressState is shared by the rows about the sandbox's own addresses and sockets.
type egressState struct {
	udp, netlink program.Op // sockets: of IPv4, and of rtnetlink
	ack6         program.Op // with IPv6: platform.AckSize if lo has its address
	ask          egressAsk
}

// egressRoutes gives lo the sandbox's own addresses: libraries look names up where there is an address besides
// loopback's, and resolv.conf names the one of IPv4. Where domains are allowed every address of the world becomes one
// of this network namespace's too. So a connect to any of them stays inside, where it is refused or accepted by a
// listener of the shim's. Else there is no route, which is proved. Where the kernel refuses the address of IPv6 (the
// sysctl disable_ipv6), IPv4 goes on without.
type egressRoutes struct{ state *egressState }

func (r egressRoutes) layout(b *build) {
	switch {
	case b.hasEgress():
		r.listed(b)
	case ownNetwork(&b.Policy):
		r.unlisted(b)
	}
}

// Addresses of more than one host. No ICMP error is sent about a datagram to one (RFC 1122, section 3.2.2), so without
// a route of their own nothing would tell the sender that it is refused.
var (
	groups4    = netip.PrefixFrom(netip.AddrFrom4([4]byte{224}), 4)
	broadcast4 = netip.PrefixFrom(netip.AddrFrom4([4]byte{255, 255, 255, 255}), 32)
	groups6    = netip.PrefixFrom(netip.AddrFrom16([16]byte{0xff}), 8)
)

func unreachable(b *build, sock program.Op, to netip.Prefix) {
	obeyed(b, sock, "unreachable "+to.String(), platform.LoUnreachable(to))
}

// listed is where domains are allowed.
func (r egressRoutes) listed(b *build) {
	sock := r.state.netlink
	obeyed(b, sock, "address "+EgressIPv4, platform.LoAddress(egress4))
	obeyed(b, sock, "route to "+EgressIPv4, platform.LoRoute(egress4))
	unreachable(b, sock, groups4)
	unreachable(b, sock, broadcast4)
	const name6, want6 = "addresses of IPv6", "::1 " + EgressIPv6
	refused := r.addressIPv6(b, name6, want6, "allowed hosts are reached by IPv4 alone")
	if b.Machine.IPv6 {
		var none program.Label
		b.BranchUnless(program.Int(platform.AckSize), &none)
		obeyed(b, sock, "route to "+EgressIPv6, platform.LoRoute(egress6))
		unreachable(b, sock, groups6)
		b.Bind(&none)
	}
	group := b.Observe(sys.Connect(r.state.udp.Result(), socketAddress(groups4.Addr().Next(), 9)))
	own := addresses(b, sock)
	b.prove(func(c *check) {
		c.fact("connect UDP "+groups4.Addr().Next().String(), "EHOSTUNREACH", c.result(group))
		c.fact("addresses", "127.0.0.1 "+EgressIPv4, addressesOf(c, own, netip.Addr.Is4))
		if !refused(c) {
			c.fact(name6, want6, addressesOf(c, own, netip.Addr.Is6))
		}
	})
}

// unlisted is where no domain is allowed: an address that answers, and no way to any other. Every launch makes these
// calls, so they are few.
func (r egressRoutes) unlisted(b *build) {
	obeyed(b, r.state.netlink, "address "+EgressIPv4, platform.LoAddress(egress4))
	const name6 = "address of IPv6"
	refused := r.addressIPv6(b, name6, EgressIPv6, "libraries look for addresses of IPv4 alone")
	own := b.Observe(sys.Connect(r.state.udp.Result(), socketAddress(egress4, PortDNS)))
	b.fact("connect UDP "+EgressIPv4, "0", own)
	b.prove(func(c *check) {
		if !refused(c) {
			c.fact(name6, EgressIPv6, choose(c.Value(r.state.ack6) == platform.AckSize, EgressIPv6, ""))
		}
	})
	if b.Machine.Route {
		other := b.Observe(sys.Connect(r.state.udp.Result(), socketAddress(documentation4, 9)))
		b.fact("connect UDP 192.0.2.1", "ENETUNREACH", other)
	}
}

// addressIPv6 gives lo the address of IPv6, if this machine has IPv6. Its comparison adds the fact that the address is
// lacking, if that was refused.
func (r egressRoutes) addressIPv6(b *build, name, want, effect string) (refused func(*check) bool) {
	if !b.Machine.IPv6 {
		return func(c *check) bool {
			c.lacks(name, want, "this machine gives no socket of AF_INET6", effect)
			return true
		}
	}
	message, sock := platform.LoAddress(egress6), r.state.netlink.Result()
	b.Do(sys.Send(sock, message, 0)).Returns(program.Int(len(message))).For("address " + EgressIPv6)
	ack := fileRead{at: b.Space(ackSpace)}
	ack.op = b.Observe(sys.Recv(sock, ack.at, ackSpace, unix.MSG_DONTWAIT))
	r.state.ack6 = ack.op
	return func(c *check) bool {
		errno, ok := platform.AckErrno(c.bytesOf(ack))
		if !ok || errno == 0 {
			return false
		}
		c.lacks(name, want, "RTM_NEWADDR: "+platform.ErrnoName(unix.Errno(errno)), effect)
		return true
	}
}

// ackSpace has room for an error with the message that it is about.
const ackSpace = 128

// obeyed sends a message of rtnetlink, and demands the answer that it was obeyed.
func obeyed(b *build, sock program.Op, name string, message []byte) {
	b.Do(sys.Send(sock.Result(), message, 0)).Returns(program.Int(len(message))).For(name)
	at := b.Space(ackSpace)
	recv := sys.Recv(sock.Result(), at, ackSpace, unix.MSG_DONTWAIT) // the answer is there when the send returns
	ack := b.Ask(recv).Returns(program.Int(platform.AckSize)).For(name)
	b.layout.acks = append(b.layout.acks, fileRead{ack, at})
}

const addressesSize = 2048 // of one part of the list: a handful of addresses

// An addressList are the parts of the answer to platform.AddressDump: one for each family, and the end.
type addressList [4]fileRead

// addresses asks for the addresses of all interfaces.
func addresses(b *build, sock program.Op) (parts addressList) {
	b.Ask(sys.Send(sock.Result(), platform.AddressDump(), 0))
	for i := range parts {
		at := b.Space(addressesSize)
		parts[i] = fileRead{b.Observe(sys.Recv(sock.Result(), at, addressesSize, unix.MSG_DONTWAIT)), at}
	}
	return parts
}

// addressesOf are the listed addresses of one family, in order.
func addressesOf(c *check, parts addressList, of func(netip.Addr) bool) string {
	var all []netip.Addr
	whole := false
	for _, part := range parts {
		found, done, ok := platform.ParseAddresses(c.bytesOf(part))
		if !ok {
			return "an answer that cannot be read"
		}
		whole = whole || done
		all = append(all, found...)
	}
	if !whole {
		return "a list without its end"
	}
	slices.SortFunc(all, netip.Addr.Compare)
	var texts []string
	for _, a := range slices.Compact(all) { // each is listed as the interface's and as its peer's
		if of(a) {
			texts = append(texts, a.String())
		}
	}
	return strings.Join(texts, " ")
}

// socketAddress is a struct sockaddr_in or sockaddr_in6; ip(7), ipv6(7).
func socketAddress(a netip.Addr, port uint16) []byte {
	if a.Is4() {
		b := make([]byte, 16)
		b[0], b[2], b[3] = unix.AF_INET, byte(port>>8), byte(port)
		copy(b[4:], a.AsSlice())
		return b
	}
	b := make([]byte, 28)
	b[0], b[2], b[3] = unix.AF_INET6, byte(port>>8), byte(port)
	copy(b[8:], a.AsSlice())
	return b
}
