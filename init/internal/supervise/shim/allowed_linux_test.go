package shim_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// quiet stands for a folder in which nobody expects the sockets of other programs.
const quiet = "quiet"

func quietFolder(tb testing.TB) string {
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

// listenAll has a socket of each type in a folder, and one that no policy names.
func listenAll(tb testing.TB, folder string) map[string]int {
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

// TestAllowedSocketIsLeftAlone: the proof that a socket is reached is noticed by nobody who listens, and the report has
// the inode of the file.
func TestAllowedSocketIsLeftAlone(t *testing.T) {
	s := build(t, quiet)
	at := s.path("sockets/single")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err == nil {
		defer unix.Close(fd)
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: at})
	}
	if err == nil {
		err = unix.Listen(fd, 1)
	}
	if err == nil {
		err = os.Chmod(at, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := run(t, s.launch(strings.ReplaceAll(allowedSockets, "sockets/stream", "sockets/single"), "mark"))
	report, _ := json.Marshal(o.report)
	for _, fact := range []string{"connect " + at, "socket " + at, "mount " + at} {
		if !strings.Contains(string(report), `"name":"`+fact+`"`) {
			t.Errorf("no fact %s", fact)
		}
	}
	if strings.Contains(string(report), "sockets/other") || o.code != 0 {
		t.Errorf("code %d, %s\n%s", o.code, report, o.stderr)
	}
	if _, _, err := unix.Accept4(fd, unix.SOCK_CLOEXEC); err != unix.EAGAIN {
		t.Errorf("accept: %v, want EAGAIN: nobody connected", err)
	}
	client, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		defer unix.Close(client)
		err = unix.Connect(client, &unix.SockaddrUnix{Name: at})
	}
	if _, _, accepted := unix.Accept4(fd, unix.SOCK_CLOEXEC); err != nil || accepted != nil {
		t.Errorf("the control: %v, %v", err, accepted)
	}
}
