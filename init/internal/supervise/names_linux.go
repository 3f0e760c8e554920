package supervise

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// numbers lists the names in a folder of /proc that are numbers.
func numbers(dir string) (names []string) {
	all, _ := list(dir)
	for _, f := range all {
		if strings.IndexFunc(f, func(r rune) bool { return r < '0' || r > '9' }) < 0 {
			names = append(names, f)
		}
	}
	return names
}

// list lists the names in a folder but the two of dots.
func list(dir string) (names []string, err error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	err = platform.EachEntry(fd, func(name string, _ byte) bool { names = append(names, name); return true })
	return names, err
}
