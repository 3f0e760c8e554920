package folder

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// OpenPath opens a folder that need not be readable; open(2).
const OpenPath = unix.O_PATH

// isUnmapped reports whether an owner is one that this user namespace does not map, as the machine's root;
// user_namespaces(7). If the map cannot be read, it is taken to map all.
func isUnmapped(uid int) bool {
	const overflow = 65534 // how each such owner appears
	if uid != overflow {
		return false
	}
	b, err := platform.ReadSmall("/proc/self/uid_map", 64<<10)
	ranges, ok := platform.ParseIDMap(b)
	return err == nil && ok && !platform.Mapped(ranges, overflow)
}

// MakeSearchable gives its owner every right to a folder again, and never to what a symbolic link in its place
// leads to.
func MakeSearchable(dir int, name string) {
	fd, err := unix.Openat(dir, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), 0o700)
		unix.Close(fd)
	}
}
