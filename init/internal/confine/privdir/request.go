package privdir

import "github.com/security-mcp/mcp-sandbox/platform/folder"

// A Request is the argument of [Make]. Windows knows the folders alone: there the server is the same user.
type Request struct {
	Folders []string // in the private folder, for the server
	File    string   // in the private folder, world-readable; "": none

	UID, GID int  // the server's
	Chown    bool // the server is another user than this process

	// Swappable is set where access rights belong to inodes and not to paths: renaming the folder away gains
	// nothing.
	Swappable bool
}

// Prefix begins the folders' names.
const Prefix = "mcp-sandbox-"

func newName() (string, error) {
	random, err := folder.Random()
	return Prefix + random, err
}

// isName reports whether a name is one of newName's.
func isName(name string) bool { return len(name) == len(Prefix)+32 && name[:len(Prefix)] == Prefix }
