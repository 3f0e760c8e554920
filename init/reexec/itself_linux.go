package reexec

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// itself is the path of this process's program: the kernel's link, or without /proc the path that was executed.
func itself() (string, error) {
	const link = "/proc/self/exe"
	if _, err := os.Lstat(link); err == nil {
		return link, nil
	}
	return platform.Executed()
}

func unprivileged() error { return platform.Unprivileged() }
