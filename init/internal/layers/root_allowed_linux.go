package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// allowedSockets proves that the server reaches the sockets that the policy allows, by the connect(2) of a datagram
// socket, of which no listening program learns: the launcher's own had the same answer.
func allowedSockets(b *build) {
	for i := range b.View.Allowed {
		s := &b.View.Allowed[i]
		sock := b.Ask(sys.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)).For(s.Path)
		connect := b.Observe(sys.Connect(sock.Result(), unixAddress(s.Path))).For(s.Path)
		b.Call(sys.Close(sock.Result()))
		answer := "0"
		if s.Answer != 0 {
			answer = platform.ErrnoName(s.Answer)
		}
		b.fact("connect "+s.Path, answer, connect)
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
