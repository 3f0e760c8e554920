package diagnose

import (
	"os"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// Here are the circumstances of this machine and this process. A sysctl is read only where a refusal's meaning depends
// on it.
func Here() Circumstances {
	kernel, _ := platform.Kernel() // a kernel without a release is taken for an old one
	return Circumstances{OS: runtime.GOOS, Kernel: kernel, Root: os.Geteuid() == 0, Sysctl: sysctl}
}

func sysctl(name string) string {
	b, err := platform.ReadSmall("/proc/sys/"+strings.ReplaceAll(name, ".", "/"), 4096)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
