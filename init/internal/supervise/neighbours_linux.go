package supervise

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// neighbours says where other programs of this user keep their sockets, and how to find out which are bound. The homes
// are the launcher's and those that belong to the ids: HOME of the policy says nothing of where an agent listens.
func (s *shim) neighbours() fsview.Neighbours {
	n := fsview.Neighbours{
		Homes:   []string{os.Getenv("HOME")},
		Crowded: []string{"/tmp", "/var/tmp", "/run", "/var/run", os.Getenv("XDG_RUNTIME_DIR")},
	}
	// Users that are in no file, but in a directory service, have HOME alone.
	if b, err := platform.ReadSmall("/etc/passwd", 4<<20); err == nil {
		n.Homes = append(n.Homes, platform.HomesOf(string(b), unix.Getuid(), s.machine.UID)...)
	}
	if !confine.RestrictsSockets(s.machine.LandlockABI) {
		n.Bound = platform.BoundSockets
	}
	return n
}
