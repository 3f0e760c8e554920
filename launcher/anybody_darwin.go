package launcher

import (
	"os"
	"path/filepath"
)

// forAnybody is the file itself, or for root, whose servers are another user, a copy that everybody can execute.
func forAnybody(self string) (path string, remove func(), err error) {
	if os.Geteuid() != 0 {
		return self, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "mcp-sandbox-probe-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "host")
	b, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(path, b, 0o755)
	}
	for _, p := range []string{dir, path} { // whatever the umask is
		if err == nil {
			err = os.Chmod(p, 0o755)
		}
	}
	if err != nil {
		remove()
	}
	return path, remove, err
}
