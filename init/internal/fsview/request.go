package fsview

import (
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Request is what [Plan] works from. Nothing else is looked at but the file system and its mounts.
type Request struct {
	Policy  policy.Policy // effective, with absolute paths
	Command []string      // as the host gave it, at least one word
	Env     []string      // the server's environment, NAME=VALUE: HOME, PATH and the certificate variables are read
	Dir     string        // the launcher's working directory, absolute

	// PolicyFile, ReportFile and Launcher are protected inside a write grant; "" where there is none.
	PolicyFile, ReportFile, Launcher string

	// UID and GID are the ids that the server will have.
	UID, GID int
	// Root is true for a root launcher that changes to UID and GID: then what the server may execute, read and
	// write is checked as these ids.
	Root bool
	// HostNet is true in level network: /etc/hosts and resolv.conf are the host's.
	HostNet bool

	// Homes are the launcher's home folders, whatever HOME in Env says, and Crowded the folders in which programs keep
	// sockets for others to find.
	Homes, Crowded []string
	// Bound lists the host's sockets that are bound to a path; nil where a server with a root of its own can reach none
	// that is not granted.
	Bound func() ([]platform.BoundSocket, error)

	// Shared is true where the server gets no root of its own: it sees the host's tree, and rules say what of it may be
	// opened. Then of a View only the Binds count, each as the place of a rule.
	Shared bool
	// Open is true with Shared where there are no rules either: all that the user can do the server can.
	Open bool
	// Private is with Shared the folder that the launcher made for this server, with "home" and "tmp" in it; "" if none.
	Private string

	folders, mounts, inside int // tests: other bounds than searchFolders, maxHeld and insideNames
}

// Names in the private folder of a server without a root of its own.
const (
	PrivateHome = "home"
	PrivateTmp  = "tmp"
)
