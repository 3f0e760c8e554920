package supervise_test

import (
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A server without a network namespace gets no socket that leads on; with one, or by pipe and pair, it starts.
func TestSocketsThatLeadOn(t *testing.T) {
	pair := func(kind int) func() *os.File {
		return func() *os.File {
			p, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { unix.Close(p[1]) })
			return os.NewFile(uintptr(p[0]), "pair")
		}
	}
	alone := func(family, kind int) func() *os.File {
		return func() *os.File {
			fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			return os.NewFile(uintptr(fd), "socket")
		}
	}
	tcp := func() *os.File {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close(); c.Close() })
		f, err := c.(*net.TCPConn).File()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, c := range []struct {
		name string
		doc  string
		make func() *os.File
		ok   bool
	}{
		{"pair", weaker(grants, "reduced"), pair(unix.SOCK_STREAM), true},
		{"pair of packets", weaker(grants, "reduced"), pair(unix.SOCK_SEQPACKET), true},
		{"pair of datagrams", weaker(grants, "reduced"), pair(unix.SOCK_DGRAM), false},
		{"not connected", weaker(grants, "reduced"), alone(unix.AF_UNIX, unix.SOCK_STREAM), false},
		{"UDP", weaker(grants, "reduced"), alone(unix.AF_INET, unix.SOCK_DGRAM), false},
		{"TCP", weaker(grants, "reduced"), tcp, false},
		{"TCP, network", weaker(networkGrants, "reduced"), tcp, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.make()
			defer f.Close()
			s := build(t, "")
			_, report, done := start(t, s.launch(c.doc, "mark"), f)
			_ = report
			o := done()
			if c.ok != (o.code == 0 && s.ran(&o, "mark")) || !c.ok && (o.code != 125 || !strings.Contains(o.stderr, "descriptor 0")) {
				t.Errorf("code %d, %v\n%s", o.code, o.report, o.stderr)
			}
		})
	}
}
