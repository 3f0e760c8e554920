package egress

import (
	"net/netip"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// host is the machine that makes the connections. Its known facts hold until rtnetlink reports a change.
type host struct {
	private bool // the policy allows private addresses
	shared  bool // the server has the machine's files of names
	changes int  // a socket of rtnetlink; 0: not yet; -1: none, and the machine is asked each time
	known   bool
	own     []netip.Addr
	ipv6    bool
	failed  error
}

// look asks the machine, if it can have changed.
func (h *host) look() {
	if h.changes == 0 {
		var err error
		if h.changes, err = platform.AddressChanges(); err != nil {
			h.changes = -1
		}
	}
	var b [4096]byte
	for h.changes > 0 {
		_, _, err := unix.Recvfrom(h.changes, b[:], unix.MSG_DONTWAIT)
		if err == unix.EAGAIN {
			break
		}
		if h.known = false; err != nil && err != unix.ENOBUFS { // ENOBUFS: messages were lost
			break
		}
	}
	if h.known && h.changes > 0 {
		return
	}
	h.own, h.failed = platform.OwnAddresses()
	h.ipv6, h.known = platform.RoutesIPv6(), h.failed == nil // without descriptors neither could be asked: again, then
}

// hasIPv6 reports whether the machine reaches addresses of IPv6.
func (h *host) hasIPv6() bool {
	h.look()
	return h.ipv6
}

// vetted are the addresses that may be dialled, and the class of those that may not: the least bad one.
func (h *host) vetted(all []netip.Addr, port uint16, rules *match.Rules) (good []netip.Addr, bad addresses.Class) {
	h.look()
	if h.failed != nil {
		return nil, addresses.Own // no address is known not to be the machine's own
	}
	for _, a := range all {
		class := addresses.ClassOf(a, func(a netip.Addr) bool { return slices.Contains(h.own, a) })
		switch {
		case rules.Dials(a, port, class, h.private):
			good = append(good, a)
		case rules.DeniedAddress(a, port):
			bad = max(bad, addresses.Special)
		default:
			bad = max(bad, class)
		}
	}
	return good, bad
}

func (h *host) close() {
	if h.changes > 0 {
		unix.Close(h.changes)
	}
	h.changes = -1
}
