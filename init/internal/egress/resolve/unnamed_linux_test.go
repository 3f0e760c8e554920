package resolve

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// Where no file names a nameserver, the error of the machine's own says so, and where the file is.
func TestNoNameserverIsNamed(t *testing.T) {
	port := closedPort(t)
	for _, c := range []struct {
		name string
		put  func(path string) error
		want string
	}{
		{"an empty file", func(path string) error { return os.WriteFile(path, nil, 0o600) }, "resolv.conf names no nameserver)"},
		{"a link to nothing", func(path string) error { return os.Symlink("../run/stub", path) },
			"resolv.conf is a link to ../run/stub, which is not there)"},
		{"no file", func(string) error { return nil }, "resolv.conf: no such file or directory)"},
		{"the control", func(path string) error { return os.WriteFile(path, []byte("nameserver 127.0.0.1\n"), 0o600) }, "connection refused"},
	} {
		b := newBench(t, port, "", "")
		path := b.dir + "/resolv.conf"
		if err := errors.Join(os.Remove(path), c.put(path)); err != nil {
			t.Fatal(err)
		}
		got := b.look(t, name, dnsmessage.TypeA)
		var server *ServerError
		if got.Code != Failed || !errors.Is(got.Err, unix.ECONNREFUSED) || !errors.As(got.Err, &server) ||
			!strings.HasSuffix(got.Err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, got.Err, c.want)
		}
	}
}

// closedPort is one on which nothing listens.
func closedPort(t *testing.T) uint16 {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet6{}); err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return uint16(at.(*unix.SockaddrInet6).Port)
}
