package egress

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dns"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/tap"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A tapSocket is a raw socket, which gets a copy of the kernel's answers for ports without a listener.
type tapSocket struct {
	layers.Carried
	engine *Engine
}

// packetsATurn bounds the work of one turn.
const packetsATurn = 32

func (e *Engine) tap(s layers.Carried) error {
	kind, err := unix.GetsockoptInt(s.FD, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil || kind != unix.SOCK_RAW { // a stand-in: this machine gives no raw socket
		return err
	}
	t := &tapSocket{Carried: s, engine: e}
	e.taps = append(e.taps, t)
	if t.icmp() {
		err = tap.Unreachable(s.FD, t.v6())
	} else {
		err = tap.Attach(s.FD, tap.FilterTCP(t.v6()))
	}
	if err != nil || e.set == nil {
		return err
	}
	_, err = e.set.Add(s.FD, unix.EPOLLIN, func(uint32) { t.serve() })
	return err
}

func (t *tapSocket) v6() bool   { return t.Kind == layers.TapTCP6 || t.Kind == layers.TapICMP6 }
func (t *tapSocket) icmp() bool { return t.Kind == layers.TapICMP4 || t.Kind == layers.TapICMP6 }

func (t *tapSocket) serve() {
	var buf [layers.PacketSize]byte
	for range packetsATurn {
		n, from, err := unix.Recvfrom(t.FD, buf[:], unix.MSG_DONTWAIT)
		if err != nil {
			return
		}
		if r, ok := t.parse(buf[:n], addressOf(from)); ok {
			t.engine.refused(r)
		}
	}
}

func (t *tapSocket) parse(packet []byte, from netip.Addr) (tap.Refused, bool) {
	switch t.Kind {
	case layers.TapTCP4:
		return tap.TCP4(packet)
	case layers.TapTCP6:
		return tap.TCP6(packet, from)
	case layers.TapICMP4:
		return tap.ICMP4(packet)
	}
	return tap.ICMP6(packet)
}

// Lend lends the sockets of an engine that learns by them alone to another process. Once that has them lent closes them
// here, and packet takes what they get: IPv4 has a header, which begins with its version, and ICMPv6 none. Without such
// sockets fds is nil.
func Lend(e *Engine) (fds []int, lent func(), packet func([]byte)) {
	if e == nil || e.set != nil {
		return nil, nil, nil
	}
	for _, t := range e.taps {
		t.serve() // what the proofs have left there
		fds = append(fds, t.FD)
	}
	lent = func() {
		closeAll(e.sockets)
		e.sockets, e.taps = nil, nil
	}
	return fds, lent, func(b []byte) {
		parse := tap.ICMP6
		if len(b) > 0 && b[0]>>4 == 4 {
			parse = tap.ICMP4
		}
		if r, ok := parse(b); ok {
			e.refused(r)
		}
	}
}

// refused tells of a port that the kernel refused.
func (e *Engine) refused(r tap.Refused) {
	if e.set == nil { // no names are answered, so a question was refused, wherever a program sent it
		if r.UDP && r.Port == 53 {
			e.lookedUp(r.Payload)
		}
		return
	}
	name, known := nameOf(e, r.Addr)
	switch {
	case r.Addr == ownIPv4 || r.Addr == ownIPv6:
	case r.UDP && r.Addr.IsLoopback():
	case r.UDP && known:
		e.denials.udp(name, "", r.Port)
	case r.UDP:
		e.denials.udp("", r.Addr.String(), r.Port)
	case known:
		e.denials.port(target{name, r.Port})
	case r.Addr.IsLoopback():
		if !slices.ContainsFunc(e.published, func(p policy.Publish) bool { return p.Port == r.Port }) {
			e.denials.port(target{"localhost", r.Port}) // else perhaps the Publisher was refused
		}
	case e.rules.Literal(r.Addr):
		e.denials.port(target{r.Addr.String(), r.Port})
	default:
		e.denials.address(netip.AddrPortFrom(r.Addr, r.Port))
	}
}

// lookedUp reports the name in a question without an answer.
func (e *Engine) lookedUp(question []byte) {
	q, err := dns.Parse(question)
	if err != nil {
		return
	}
	if name, ok := e.rules.Canonical(q.Name); ok && !isMachine(name) {
		e.denials.name(name, e.meant(name))
	}
}

// isMachine reports whether a name is this machine's, which programs look up for their own address: /etc/hosts has no
// address of IPv6 for it.
func isMachine(name string) bool {
	var uts unix.Utsname
	return unix.Uname(&uts) == nil && strings.EqualFold(name, unix.ByteSliceToString(uts.Nodename[:]))
}

// addressOf is the address of a socket address, or none.
func addressOf(from unix.Sockaddr) netip.Addr {
	switch a := from.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrFrom4(a.Addr)
	case *unix.SockaddrInet6:
		return netip.AddrFrom16(a.Addr).Unmap()
	}
	return netip.Addr{}
}
