package confine

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// socketFamilies proves which families of sockets the filter leaves a server in the host's network namespace:
// none but inet with level network, and unix where Landlock bounds it. Row seccomp tries them again behind
// the filter.
type socketFamilies struct{ tried *[]family }

// A family is an address family of socket(2), tried before the filter and behind it.
type family struct {
	name          string
	number, kind  int
	stays         bool
	before, after program.Op
}

func (b *build) families() []family {
	inet := b.hostNet()
	return []family{
		{name: "inet", number: unix.AF_INET, kind: unix.SOCK_STREAM, stays: inet},
		{name: "inet UDP", number: unix.AF_INET, kind: unix.SOCK_DGRAM, stays: inet},
		{name: "inet6", number: unix.AF_INET6, kind: unix.SOCK_STREAM, stays: inet},
		{name: "netlink", number: unix.AF_NETLINK, kind: unix.SOCK_RAW},
		{name: "unix", number: unix.AF_UNIX, kind: unix.SOCK_STREAM, stays: !SharedUnix(b.Machine.LandlockABI)},
	}
}

// SharedUnix reports whether the filter of a server in the host's namespaces has to refuse AF_UNIX.
func SharedUnix(abi int) bool { return !RestrictsSockets(abi) }

func (r *socketFamilies) ops(b *build) {
	*r.tried = b.families()
	b.trySockets(*r.tried, func(f *family, o program.Op) { f.before = o })
}

// trySockets makes a socket of each family and closes it.
func (b *build) trySockets(families []family, keep func(f *family, o program.Op)) {
	for i := range families {
		f := &families[i]
		fd := b.Observe(sys.Socket(f.number, f.kind|unix.SOCK_CLOEXEC, 0))
		keep(f, fd)
		b.Call(sys.Close(fd.Result()))
	}
}

func (r *socketFamilies) check(c *check) {
	for _, f := range *r.tried {
		if f.stays {
			c.fact("socket "+f.name, c.opened(f.before), c.opened(f.after))
			continue
		}
		// A machine without IPv6, or another filter, refuses it in the same way: then this one's proof is its own
		// row's.
		c.fact("socket "+f.name, "EAFNOSUPPORT", c.opened(f.after))
	}
}
