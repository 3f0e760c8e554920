package layers

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

const (
	ifreqSize, ifreqFlags = 40, 16 // struct ifreq; netdevice(7)

	linksSize = 8192 // of one part: rtnetlink answers in parts of a page or two
)

// network brings up lo in the new network namespace, and proves that no other interface is up.
type network struct{ state *egressState }

func (r network) layout(b *build) {
	if b.hostNet() {
		b.prove(func(c *check) { c.set(order.Off, "", "") })
		return
	}
	sock := b.Do(sys.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0))
	b.Do(sys.Ioctl(sock.Result(), unix.SIOCSIFFLAGS, program.Bytes(loUp()))).For("lo")
	lo := b.Data(loUp()[:ifreqFlags])
	b.Space(ifreqSize - ifreqFlags)
	b.Ask(sys.Ioctl(sock.Result(), unix.SIOCGIFFLAGS, program.Ref(lo))).For("lo")

	route := b.Ask(sys.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE))
	r.state.udp, r.state.netlink = sock, route
	b.Ask(sys.Send(route.Result(), platform.LinkDump(), 0))
	var links [2]fileRead
	for i := range links {
		at := b.Space(linksSize)
		links[i] = fileRead{b.Observe(sys.Recv(route.Result(), at, linksSize, unix.MSG_DONTWAIT)), at}
	}
	b.prove(func(c *check) {
		up := c.Word32(lo.Plus(ifreqFlags))&unix.IFF_UP != 0
		c.factIf(up, "lo", "up", choose(up, "up", "down"))
		names, whole := interfacesUp(c, links[:])
		c.factIf(whole && names == "lo", "interfaces that are up", "lo", names)
	})
}

// loUp is the struct ifreq that sets lo up.
func loUp() []byte {
	b := make([]byte, ifreqSize)
	copy(b, "lo")
	b[ifreqFlags] = unix.IFF_UP
	return b
}

// interfacesUp names the interfaces that are up. Tunnel modules add interfaces that are down to every namespace.
func interfacesUp(c *check, links []fileRead) (up string, whole bool) {
	var names []string
	for _, l := range links {
		found, done, ok := platform.ParseLinks(c.bytesOf(l))
		if !ok {
			return "an answer that cannot be read", false
		}
		whole = whole || done
		for _, n := range found {
			if n.Up {
				names = append(names, n.Name)
			}
		}
	}
	return strings.Join(names, " "), whole
}

// socketFamilies proves which families of sockets the filter leaves a server in the host's network namespace:
// none but inet with level network, and unix where Landlock bounds it. Row seccomp tries them again behind
// the filter.
type socketFamilies struct {
	tried *[]family
	pairs *pairProof
}

// A family is an address family of socket(2), tried before the filter and behind it.
type family struct {
	name          string
	number, kind  int
	stays         bool
	before, after program.Op
}

func (r socketFamilies) layout(b *build) {
	inet := b.hostNet() || b.Pairs
	if b.hasEgress() && !b.Pairs {
		b.lacks(order.FactDomains, "reachable", "the confinement is "+string(b.layout.confinement),
			"network.allowedDomains does not hold: the server has no network")
	}
	if HasPublish(&b.Policy) {
		b.lacks("published ports", "reachable", "the confinement is "+string(b.layout.confinement),
			"network.publish does not hold: the server has no network")
	}
	*r.tried = []family{
		{name: "inet", number: unix.AF_INET, kind: unix.SOCK_STREAM, stays: inet},
		{name: "inet UDP", number: unix.AF_INET, kind: unix.SOCK_DGRAM, stays: inet},
		{name: "inet6", number: unix.AF_INET6, kind: unix.SOCK_STREAM, stays: inet},
		{name: "netlink", number: unix.AF_NETLINK, kind: unix.SOCK_RAW},
		{name: "unix", number: unix.AF_UNIX, kind: unix.SOCK_STREAM, stays: RestrictsSockets(b.Machine.LandlockABI)},
	}
	for i := range *r.tried {
		f := &(*r.tried)[i]
		f.before = trySocket(b, f)
	}
	b.prove(func(c *check) {
		for _, f := range *r.tried {
			// A machine without IPv6, or another filter, refuses a family in the same way: then the proof of this
			// filter is its own row's.
			want := choose(f.stays, c.opened(f.before), "EAFNOSUPPORT")
			if f.stays && b.Pairs && f.number != unix.AF_UNIX { // also where the machine has no IPv6
				want = "opened"
			}
			c.fact("socket "+f.name, want, c.opened(f.after))
		}
		if b.Pairs {
			c.fact("socket inet before", "opened", c.opened((*r.tried)[0].before)) // else the shim could not dial
			r.pairs.prove(c)
		}
	})
}

// trySocket makes a socket of a family and closes it.
func trySocket(b *build, f *family) program.Op {
	fd := b.Observe(sys.Socket(f.number, f.kind|unix.SOCK_CLOEXEC, 0))
	b.Call(sys.Close(fd.Result()))
	return fd
}
