package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// allowedSockets proves that the server reaches the sockets that the policy allows, by connects of sockets that have a
// peer: the kernel looks at everything but that first, and no listening program sees a connection. A datagram socket
// may change its peer, and the first gets no sign of that either.
func allowedSockets(b *build) {
	for i := range b.View.Allowed {
		s := &b.View.Allowed[i]
		pair := b.Space(16) // two descriptors, and the bytes read behind the second
		kind := s.Type | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
		b.Ask(sys.Socketpair(unix.AF_UNIX, kind, 0, pair)).For(s.Path)
		connect := b.Observe(sys.Connect(program.Word(pair), unixAddress(s.Path))).For(s.Path)
		b.Call(sys.Close(program.Word(pair))) // of the word the kernel takes the lower half
		b.Call(sys.Close(program.Word(pair.Plus(4))))
		want := choose(s.Type == unix.SOCK_DGRAM, "0", "EISCONN")
		b.prove(func(c *check) {
			got := c.result(connect)
			waits := s.Type != unix.SOCK_DGRAM && got == "EAGAIN" // behind others that are not accepted yet
			c.factIf(got == want || waits, "connect "+s.Path, want, got)
		})
	}
}

// unixAddress is a struct sockaddr_un; unix(7).
func unixAddress(path string) []byte {
	return append(append([]byte{unix.AF_UNIX, 0}, path...), 0)
}

// proveAllowed shows which sockets these are, by the inode that was found at the path of each.
func proveAllowed(c *check, v *fsview.View, l viewLooks) {
	for i := range v.Nodes {
		if n := &v.Nodes[i]; n.Socket {
			c.fact("socket "+n.Path, nameOf(n.FileID), nameOf(c.stat(l.nodes[i]).FileID))
		}
	}
}

func nameOf(id platform.FileID) string {
	return "device " + devName(id.Dev) + ", inode " + strconv.FormatUint(id.Ino, 10)
}
