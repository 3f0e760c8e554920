package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/view"
)

// Versions of Landlock that bound sockets; landlock(7).
const (
	scopesABI   = 6 // connecting to an abstract socket outside
	pathnameABI = 9 // connecting to a socket by its path
)

// RefusesUnix reports whether the filter has to refuse AF_UNIX as a whole, because sockets of the host could be reached
// and Landlock cannot tell them apart: the root shows all of the host, a grant holds the home folder, where agents and
// desktops keep theirs, or the abstract sockets of the host's network namespace are in reach.
func RefusesUnix(v *view.View, abi int, hostNet bool) bool {
	if hostNet && abi < scopesABI {
		return true
	}
	return abi < pathnameABI && (v.HostRoot || grants(v, func(n *view.Node) bool {
		return n.Folder && (n.Path == v.Home || below(v.Home, n.Path))
	}))
}

// grants reports whether a folder or file of the host that the policy named is as asked.
func grants(v *view.View, is func(*view.Node) bool) bool {
	for i := range v.Nodes {
		if n := &v.Nodes[i]; n.Kind == view.Bind && !n.Device && is(n) {
			return true
		}
	}
	return false
}

// sockets says what of sockets in grants the layer of the root cannot hold.
func (c *check) sockets() {
	if c.Machine.LandlockABI >= pathnameABI || RefusesUnix(c.View, c.Machine.LandlockABI, c.hostNet()) {
		return
	}
	c.layer.Effect = "sockets inside granted folders can be connected to: Landlock restricts that from ABI 9, and this kernel has ABI " +
		strconv.Itoa(c.Machine.LandlockABI)
}
