package confine

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// network brings up lo in the new network namespace, and proves that no other interface is up and that there
// is no route.
type network struct {
	flags   program.Addr
	asked   program.Op
	links   [2]fileRead
	connect program.Op
}

const ifreqSize, ifreqFlags = 40, 16 // struct ifreq; netdevice(7)

func (r *network) ops(b *build) {
	if b.hostNet() {
		return
	}
	sock := b.Do(sys.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0))
	b.Do(sys.Ioctl(sock.Result(), unix.SIOCSIFFLAGS, program.Bytes(loUp()))).For("lo")
	r.flags = b.Data(loUp()[:ifreqFlags])
	b.Space(ifreqSize - ifreqFlags)
	r.asked = b.Ask(sys.Ioctl(sock.Result(), unix.SIOCGIFFLAGS, program.Ref(r.flags))).For("lo")
	outside := []byte{unix.AF_INET, 0, 0, 9, 192, 0, 2, 1, 15: 0} // struct sockaddr_in: 192.0.2.1, port 9
	r.connect = b.Observe(sys.Connect(sock.Result(), outside))

	route := b.Ask(sys.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE))
	ask := platform.LinkDump()
	b.Ask(sys.Send(route.Result(), ask, 0))
	for i := range r.links {
		at := b.Space(linksSize)
		r.links[i] = fileRead{b.Observe(sys.Recv(route.Result(), at, linksSize, unix.MSG_DONTWAIT)), at}
	}
}

const linksSize = 8192 // of one part: rtnetlink answers in parts of a page or two

// loUp is the struct ifreq that sets lo up.
func loUp() []byte {
	b := make([]byte, ifreqSize)
	copy(b, "lo")
	b[ifreqFlags] = unix.IFF_UP
	return b
}

func (r *network) check(c *check) {
	if c.hostNet() {
		c.layer.State = order.Off
		return
	}
	flags := c.Word32(r.flags.Plus(ifreqFlags))
	c.factIf(flags&unix.IFF_UP != 0, "lo", "up", choose(flags&unix.IFF_UP != 0, "up", "down"))
	up, whole := c.links(r)
	c.factIf(whole && up == "lo", "interfaces that are up", "lo", up)
	if c.Machine.Route {
		c.fact("connect UDP 192.0.2.1", "ENETUNREACH", c.result(r.connect))
	}
}

// links names the interfaces that are up. Tunnel modules add interfaces that are down to every namespace.
func (c *check) links(r *network) (up string, whole bool) {
	var names []string
	for _, l := range r.links {
		found, done, ok := platform.ParseLinks(c.Filled(l.op, l.at))
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

func choose(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}
