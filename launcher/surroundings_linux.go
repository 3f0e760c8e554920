package launcher

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// lookAround reads what may explain a refusal. A file that cannot be read explains nothing.
func lookAround() surroundings {
	s := surroundings{sysctls: map[string]string{}, root: os.Geteuid() == 0, cgroups: hierarchy()}
	for _, name := range sysctls() {
		if b, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/")); err == nil {
			s.sysctls[name] = strings.TrimSpace(string(b))
		}
	}
	if b, err := os.ReadFile("/proc/self/status"); err == nil {
		s.filtered = strings.Contains(string(b), "\nSeccomp:\t2\n")
		s.admin = capable(string(b), unix.CAP_SYS_ADMIN)
	}
	if b, err := os.ReadFile("/proc/self/mountinfo"); err == nil {
		s.chrooted = !rootMounted(b)
	}
	if own, err := platform.OwnProc(); err == nil {
		s.strangeProc = !own
	}
	if release, err := platform.Kernel(); err == nil {
		switch lower := strings.ToLower(release); {
		case strings.Contains(lower, "microsoft-standard"), strings.Contains(lower, "wsl2"):
			s.wsl = 2
		case strings.Contains(lower, "microsoft"):
			s.wsl = 1
		}
	}
	s.systemd = exists("/run/systemd/system")
	b, _ := os.ReadFile("/sys/kernel/security/lsm")
	s.lsm = strings.TrimSpace(string(b))
	return s
}

// capable reads a capability from /proc/PID/status; proc_pid_status(5).
func capable(status string, capability int) bool {
	_, line, _ := strings.Cut(status, "\nCapEff:\t")
	line, _, _ = strings.Cut(line, "\n")
	mask, err := strconv.ParseUint(line, 16, 64)
	return err == nil && mask&(1<<capability) != 0
}

// rootMounted reports whether something is mounted on "/": it is everywhere but in a chroot to a plain folder.
func rootMounted(mountinfo []byte) bool {
	mounts, err := platform.ParseMountinfo(mountinfo)
	if err != nil {
		return true // nothing is known
	}
	for i := range mounts {
		if mounts[i].Path == "/" {
			return true
		}
	}
	return false
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
