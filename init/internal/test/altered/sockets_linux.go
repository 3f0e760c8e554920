package altered

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Quiet stands for a folder in which nobody expects the sockets of other programs.
const Quiet = "quiet"

// QuietFolder is that folder.
func QuietFolder(tb testing.TB) string {
	tb.Helper()
	folder := "/srv"
	if os.Geteuid() != 0 {
		folder = os.Getenv("HOME")
	}
	for _, crowded := range []string{"", "/tmp", "/var/tmp", "/run", "/var/run"} {
		if folder == crowded || strings.HasPrefix(folder, crowded+"/") && crowded != "" {
			testbed.Missing(tb, "home", "below Landlock ABI 9 no socket can be allowed beside a grant in "+folder)
		}
	}
	return folder
}

// ListenAll has a socket of each type in a folder, and one that no policy names.
func ListenAll(tb testing.TB, folder string) map[string]int {
	tb.Helper()
	fds := map[string]int{}
	err := os.Mkdir(folder, 0o755)
	for name, kind := range map[string]int{"stream": unix.SOCK_STREAM, "packets": unix.SOCK_SEQPACKET,
		"datagrams": unix.SOCK_DGRAM, "other": unix.SOCK_STREAM} {
		fd, failed := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		at := filepath.Join(folder, name)
		for _, step := range []func() error{func() error { return failed },
			func() error { return unix.Bind(fd, &unix.SockaddrUnix{Name: at}) },
			func() error { return os.Chmod(at, 0o666) }} {
			if err == nil {
				err = step()
			}
		}
		if kind != unix.SOCK_DGRAM && err == nil {
			err = unix.Listen(fd, 4)
		}
		tb.Cleanup(func() { unix.Close(fd) })
		fds[name] = fd
	}
	if err != nil {
		tb.Fatal(err)
	}
	return fds
}
