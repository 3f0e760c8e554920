package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// environment reads the circumstances that may explain a refusal. A file that cannot be read explains nothing.
func environment() diagnose.Environment {
	s := diagnose.Environment{Circumstances: diagnose.Here(), Cgroups: hierarchy(), WSL: wsl()}
	status, _ := os.ReadFile("/proc/self/status")
	s.Filtered = strings.Contains(string(status), "\nSeccomp:\t2\n")
	if c, err := platform.ReadCapabilities(); err == nil {
		s.Admin = c.Effective&(1<<unix.CAP_SYS_ADMIN) != 0
	}
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
		s.Chrooted = !rootMounted(mounts)
	}
	if own, err := platform.OwnProc(); err == nil {
		s.ForeignProc = !own
	}
	_, err := os.Lstat("/run/systemd/system")
	s.Systemd = err == nil
	modules, _ := os.ReadFile("/sys/kernel/security/lsm")
	s.LSM = strings.TrimSpace(string(modules))
	return s
}

// wsl is the version of the Windows Subsystem for Linux, by the kernel's release, or 0.
func wsl() int {
	release, _ := platform.Kernel()
	switch lower := strings.ToLower(release); {
	case strings.Contains(lower, "microsoft-standard"), strings.Contains(lower, "wsl2"):
		return 2
	case strings.Contains(lower, "microsoft"):
		return 1
	}
	return 0
}

// rootMounted reports whether "/" is a mount point: false only in a chroot to a plain folder.
func rootMounted(mountinfo []byte) bool {
	mounts, err := platform.ParseMountinfo(mountinfo)
	// Where nothing is known a chroot explains nothing.
	return err != nil || slices.ContainsFunc(mounts, func(m platform.Mount) bool { return m.Path == "/" })
}

// hierarchy is the version of the control groups that are mounted; cgroups(7).
func hierarchy() string {
	const top = "/sys/fs/cgroup"
	var st unix.Statfs_t
	if unix.Statfs(top, &st) != nil {
		return ""
	}
	if st.Type == unix.CGROUP2_SUPER_MAGIC {
		return "v2"
	}
	if v1, _ := filepath.Glob(top + "/*/cgroup.procs"); len(v1) > 0 {
		return "v1"
	}
	return ""
}
