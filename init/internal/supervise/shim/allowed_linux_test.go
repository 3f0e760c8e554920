package shim_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// TestAllowedSocketIsLeftAlone: the proof that a socket is reached is noticed by nobody who listens, and the report has
// the inode of the file.
func TestAllowedSocketIsLeftAlone(t *testing.T) {
	s := build(t, altered.Quiet)
	at := s.Path("sockets/single")
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
	o := altered.Run(t, s.Launch(strings.ReplaceAll(altered.AllowedSockets, "sockets/stream", "sockets/single"), "mark"))
	report, _ := json.Marshal(o.Report)
	for _, fact := range []string{"connect " + at, "socket " + at, "mount " + at} {
		if !strings.Contains(string(report), `"name":"`+fact+`"`) {
			t.Errorf("no fact %s", fact)
		}
	}
	if strings.Contains(string(report), "sockets/other") || o.Code != 0 {
		t.Errorf("code %d, %s\n%s", o.Code, report, o.Stderr)
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
