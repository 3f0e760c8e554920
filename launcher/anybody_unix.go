//go:build unix

package launcher

import (
	"os"
	"path/filepath"
	"syscall"
)

// forAnybody is the file itself, or a copy of it where a folder above it is closed: a root launcher's servers are
// another user.
func forAnybody(self string) (path string, remove func(), err error) {
	if os.Geteuid() != 0 || openToAll(self) {
		return self, func() {}, nil
	}
	dir, err := os.MkdirTemp(ownBase(os.TempDir()), "mcp-sandbox-probe-")
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

// ownBase is a folder for temporary files in which no other user can exchange files of root: the one given, if
// it and those above it are so, else /tmp.
func ownBase(base string) string {
	real, err := filepath.EvalSymlinks(base)
	if err != nil || !filepath.IsAbs(real) {
		return "/tmp"
	}
	for at := real; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return "/tmp"
		}
		owner, ok := info.Sys().(*syscall.Stat_t)
		if !ok || owner.Uid != 0 || info.Mode()&0o022 != 0 && info.Mode()&os.ModeSticky == 0 {
			return "/tmp"
		}
		if at == "/" {
			return real
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
