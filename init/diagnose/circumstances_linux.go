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
	return Circumstances{OS: runtime.GOOS, Kernel: kernel, Root: os.Geteuid() == 0, Sysctl: sysctl,
		Traced: traced}
}

// traced reads TracerPid; proc_pid_status(5).
func traced() bool {
	b, err := platform.ReadSmall("/proc/self/status", 16<<10)
	_, rest, found := strings.Cut(string(b), "\nTracerPid:\t")
	return err == nil && found && !strings.HasPrefix(rest, "0\n")
}

func sysctl(name string) string {
	b, err := platform.ReadSmall("/proc/sys/"+strings.ReplaceAll(name, ".", "/"), 4096)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
