package fsview

import (
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Request is the input of [Plan], besides the file system and its mounts.
type Request struct {
	Policy  policy.Policy // effective, with absolute paths
	Command []string      // as the host gave it, at least one word
	Env     []string      // the server's environment, NAME=VALUE: HOME, PATH and the certificate variables are read
	Dir     string        // the launcher's working directory, absolute
	Leads   []order.Lead  // where grants have to lead

	Ours
	Identity
	// HostNet is true in level network: /etc/hosts and resolv.conf are the host's.
	HostNet bool

	Neighbours

	Sharing

	bounds bounds // of tests; 0 stands for the constant
}

// Sharing is how much of the host's tree a server sees that has no root of its own.
type Sharing struct {
	// Shared is true where the server gets no root of its own, but sees the host's tree, and rules say which files may
	// be opened. Of a View only the Binds count then, each as the place of a rule.
	Shared bool
	// Open is true with Shared where there are no rules either: all that the user can do the server can.
	Open bool
	// Private is with Shared the folder that the launcher made for this server, with "home" and "tmp" in it; "" if
	// none.
	Private string
}

// named reports whether the server looks names up at an address of the sandbox's own: there the launcher answers, or
// without allowed domains learns which name was refused.
func (r *Request) named() bool { return !r.HostNet && !r.Shared }

// Ours are files and folders of this product.
type Ours struct {
	// Own are the launch's own files: the policy, the report and the launcher. Own files inside a write grant are
	// protected. "" stands for none.
	Own []string
	// Folders hold the files that last, besides those that protected.Own names below a home. They are protected like
	// files of Own, and hidden in readable folders.
	Folders []string
	// Reports is the folder of the kept reports, in one of Folders. It is hidden also where that one is read-only.
	Reports string
	// State is the folder that is the server's home; "" for one that does not last.
	State   string
	StateID platform.FileID // of State when it was opened

	Stored
}

// Stored are folders of installed packages. No policy names them.
type Stored struct {
	Store   string // holds all packages; in one of Folders
	Package Opened // the one with the server's program, which may be read
	Stage   Opened // the one that the server may write
}

// An Opened is a folder that the launcher opened: its path without a symbolic link in it, "" for none, the path as the
// launcher was given it, and the device and inode then.
type Opened struct {
	Path, Given string
	platform.FileID
}

// An Identity is the user that the server will be.
type Identity struct {
	UID, GID int
	// Root is true for a root launcher that changes to UID and GID: then the server's rights to execute, read and write
	// are checked for these ids.
	Root bool
}

// Neighbours are the other programs of the launcher's user: where they keep sockets, and which sockets there are.
type Neighbours struct {
	Homes   []string // the launcher's home folders, whatever HOME in Env says
	Crowded []string // folders in which programs keep sockets for others to find
	// Bound lists the host's sockets that are bound to a path; nil where a server with a root of its own can reach none
	// that is not granted.
	Bound func() ([]platform.BoundSocket, error)
}

// bounds are how much of a write grant is searched and protected by mounts of their own.
type bounds struct {
	folders, mounts, inside int // searchFolders, maxHeld, insideNames
}

// Names in the private folder of a server without a root of its own.
const (
	PrivateHome = "home"
	PrivateTmp  = "tmp"
	// PrivateCertificates is a folder with one more for each of [View.Copies], named by its number.
	PrivateCertificates = "certificates"
)

// certificatesAt has the certificates in a root of the server's own, below the paths that they have on the host, where
// links lead there. No policy can grant anything in /dev, and no server makes anything there.
const certificatesAt = "/dev/certificates"
