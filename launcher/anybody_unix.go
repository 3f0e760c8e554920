//go:build unix

package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
)

// forAnybody is the file itself, or a copy of it where a folder above it is closed: a root launcher's servers are
// another user.
func forAnybody(self string) (path string, remove func(), err error) {
	if os.Geteuid() != 0 || openToAll(self) {
		return self, func() {}, nil
	}
	base := rootsBase(os.TempDir(), "/tmp", "/var/tmp", "/run")
	if base == "" {
		return "", nil, errors.New("every user has to be able to execute " + self + ": put it where all may, as " +
			"/usr/local/bin")
	}
	dir, err := os.MkdirTemp(base, "mcp-sandbox-probe-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "host")
	b, err := os.ReadFile("/proc/self/exe") // the running binary, also if its path leads to another by now
	if err != nil {
		b, err = os.ReadFile(self)
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o755)
	}
	for _, p := range []string{dir, path} { // the umask may have taken bits away
		if err == nil {
			err = os.Chmod(p, 0o755)
		}
	}
	if err != nil {
		remove()
	}
	return path, remove, err
}

// rootsBase is the first of some folders that every user may enter, and in which no other user can exchange files of
// root; "" for none.
func rootsBase(folders ...string) string {
	for _, base := range folders {
		if real, err := filepath.EvalSymlinks(base); err == nil && filepath.IsAbs(real) && isRoots(real) {
			return real
		}
	}
	return ""
}

// isRoots reports whether a folder and all above it are root's, of the machine or of a user namespace, open to all, and
// no other user's to change.
func isRoots(path string) bool {
	for at := path; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&0o001 == 0 || info.Mode()&0o022 != 0 && info.Mode()&os.ModeSticky == 0 {
			return false
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || folder.IsForeign(int(st.Uid)) {
			return false
		}
		if at == "/" {
			return true
		}
	}
}

// openToAll reports whether every user may execute the file and enter the folders above it.
func openToAll(path string) bool {
	for {
		info, err := os.Stat(path)
		if err != nil || info.Mode()&0o001 == 0 {
			return false
		}
		up := filepath.Dir(path)
		if up == path {
			return true
		}
		path = up
	}
}
