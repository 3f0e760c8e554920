package testbed

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Copy is a copy of the running test binary, for every user, with that mode. The test's end removes the copy.
func Copy(tb testing.TB, mode os.FileMode) string {
	tb.Helper()
	dir := folder(tb, 0o755)
	tb.Cleanup(func() { os.RemoveAll(dir) })
	path := CopyTo(tb, filepath.Join(dir, "program"))
	if err := os.Chmod(path, mode); err != nil {
		tb.Fatal(err)
	}
	return path
}

// CopyTo copies the running test binary to path, for every user to execute, and returns path.
func CopyTo(tb testing.TB, path string) string {
	tb.Helper()
	if err := CopySelf(path); err != nil {
		tb.Fatal(err)
	}
	return path
}

// Privileged are copies of the running test binary that the kernel starts with rights of root's for any user, by the
// source of the rights. Only root can make them: for others the test is skipped.
func Privileged(tb testing.TB) map[string]string {
	tb.Helper()
	if os.Getuid() != 0 {
		tb.Skip("only root can make a set-user-ID file of root's: root's own run of the suite does")
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(Scratch(tb), &fs); err != nil {
		tb.Fatal(err)
	}
	if fs.Flags&unix.ST_NOSUID != 0 {
		Missing(tb, "setuid", "the folder of temporary files is mounted nosuid")
	}
	capable := Copy(tb, 0o755)
	// As setcap(8) gives it: struct vfs_cap_data, revision 2, effective.
	const netBindService = 1 << unix.CAP_NET_BIND_SERVICE >> 8
	data := []byte{1, 0, 0, 2, 0, netBindService, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if err := unix.Setxattr(capable, "security.capability", data, 0); err != nil {
		tb.Fatal(err)
	}
	return map[string]string{
		"set-user-ID":     Copy(tb, 0o755|os.ModeSetuid),
		"set-group-ID":    Copy(tb, 0o755|os.ModeSetgid),
		"file capability": capable,
	}
}
