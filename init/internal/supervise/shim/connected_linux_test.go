package shim_test

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a server gets for a socket on its standard input, output or error.
const (
	itself  = "itself" // the socket
	aPipe   = "a pipe"
	nothing = "nothing" // the launch is refused
)

// sockets are of every kind that a host can hand over.
func sockets() []struct {
	name string
	make func(t *testing.T) *os.File
	gets string
} {
	pair := func(kind int) func(*testing.T) *os.File {
		return func(t *testing.T) *os.File { _, theirs := testbed.Pair(t, kind); return theirs }
	}
	alone := func(family, kind int, change ...func(fd int) error) func(*testing.T) *os.File {
		return func(t *testing.T) *os.File {
			fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
			for _, c := range change {
				if err == nil {
					err = c(fd)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			f := os.NewFile(uintptr(fd), "socket")
			t.Cleanup(func() { f.Close() })
			return f
		}
	}
	listen := func(fd int) error { return unix.Listen(fd, 1) }
	bindUnix := func(fd int) error { return unix.Bind(fd, &unix.SockaddrUnix{}) } // to a name of the kernel's choice; unix(7)
	to4 := func(fd int) error {
		return unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}})
	}
	to6 := func(fd int) error {
		return unix.Connect(fd, &unix.SockaddrInet6{Port: 9, Addr: [16]byte(net.IPv6loopback)})
	}
	stream := func(network string) func(t *testing.T) *os.File {
		return func(t *testing.T) *os.File { _, theirs := testbed.Stream(t, network); return theirs }
	}
	return []struct {
		name string
		make func(t *testing.T) *os.File
		gets string
	}{
		{"pair", pair(unix.SOCK_STREAM), itself},
		{"pair of packets", pair(unix.SOCK_SEQPACKET), itself},
		{"pair of datagrams", pair(unix.SOCK_DGRAM), nothing},
		{"unix, not connected", alone(unix.AF_UNIX, unix.SOCK_STREAM), nothing},
		{"unix, listening", alone(unix.AF_UNIX, unix.SOCK_STREAM, bindUnix, listen), nothing},
		{"unix packets, listening", alone(unix.AF_UNIX, unix.SOCK_SEQPACKET, bindUnix, listen), nothing},
		{"unix datagrams, not connected", alone(unix.AF_UNIX, unix.SOCK_DGRAM), nothing},
		{"TCP, IPv4", stream("tcp4"), aPipe},
		{"TCP, IPv6", stream("tcp6"), aPipe},
		{"TCP, IPv4, not connected", alone(unix.AF_INET, unix.SOCK_STREAM), nothing},
		{"TCP, IPv6, not connected", alone(unix.AF_INET6, unix.SOCK_STREAM), nothing},
		{"TCP, IPv4, listening", alone(unix.AF_INET, unix.SOCK_STREAM, listen), nothing},
		{"TCP, IPv6, listening", alone(unix.AF_INET6, unix.SOCK_STREAM, listen), nothing},
		{"UDP, IPv4", alone(unix.AF_INET, unix.SOCK_DGRAM), nothing},
		{"UDP, IPv6", alone(unix.AF_INET6, unix.SOCK_DGRAM), nothing},
		{"UDP, IPv4, connected", alone(unix.AF_INET, unix.SOCK_DGRAM, to4), nothing},
		{"UDP, IPv6, connected", alone(unix.AF_INET6, unix.SOCK_DGRAM, to6), nothing},
		{"netlink", alone(unix.AF_NETLINK, unix.SOCK_RAW), nothing},
	}
}

// A server gets no socket that leads anywhere but to its peer, whatever confinement it has: its network namespace bounds the
// sockets that it makes, not those that it is given. What it has is read back in its own process, and stands in the report.
func TestSocketsThatLeadOn(t *testing.T) {
	documents := []struct {
		name, text string
		all        bool // each kind of socket; else one of each outcome
	}{
		{"full", grants, true}, {"full, network", networkGrants, false},
		{"reduced", altered.Weaker(grants, "reduced"), true}, {"reduced, network", altered.Weaker(networkGrants, "reduced"), false},
		{"limits", altered.Weaker(grants, "limits"), false},
	}
	some := []string{"pair", "TCP, IPv4", "UDP, IPv6"}
	for _, d := range documents {
		for _, c := range sockets() {
			if !d.all && !strings.Contains(strings.Join(some, ";"), c.name) {
				continue
			}
			for fd, name := range []string{"standard input", "standard output", "standard error"} {
				if c.name != "TCP, IPv6" && c.name != "UDP, IPv4, connected" && fd > 0 {
					continue // what holds for one of the three holds for all
				}
				t.Run(d.name+"/"+c.name+"/"+name, func(t *testing.T) {
					t.Parallel()
					o := handed(t, d.text, fd, c.make(t))
					if c.gets == nothing {
						if o.Code != 125 || o.ran || fd < 2 && !strings.Contains(o.Stderr, "not connected with one peer") {
							t.Errorf("code %d, %v\n%s", o.Code, o.Report, o.Stderr)
						}
						return
					}
					want := map[string]string{itself: "unix ", aPipe: "pipe:["}[c.gets]
					if got := o.fact(name); o.Code != 0 || !o.ran || !strings.HasPrefix(got, want) {
						t.Errorf("code %d, %q, want %q\n%s", o.Code, got, want, o.Stderr)
					}
				})
			}
		}
	}
}

// Level privileged confines nothing: the server gets what the host has.
func TestSocketsOfThePrivileged(t *testing.T) {
	for _, c := range sockets() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := handed(t, `{"version":1,"level":"privileged","minConfinement":"none"}`, 0, c.make(t))
			if o.Code != 0 || !o.ran {
				t.Errorf("code %d\n%s", o.Code, o.Stderr)
			}
		})
	}
}

type handedOver struct {
	outcome
	ran bool
}

// handed is a launch whose server has a socket for one of the three, and says that it ran by a file.
func handed(t *testing.T, doc string, fd int, socket *os.File) handedOver {
	t.Helper()
	s := build(t, "")
	l := s.Launch(doc, "mark")
	l.Command = []string{"/bin/sh", "-c", ": >" + s.Path("write/mark")}
	l.Prepare = func(cmd *exec.Cmd) {
		switch fd {
		case 0:
			cmd.Stdin = socket
		case 1:
			cmd.Stdout = socket
		case 2:
			cmd.Stderr = socket
		}
	}
	o := altered.Run(t, l)
	_, err := os.Stat(s.Path("write/mark"))
	return handedOver{o, err == nil}
}

// fact is what the report has of one in the layer of descriptors.
func (o *handedOver) fact(name string) string {
	for _, record := range o.Report {
		layers, _ := record["layers"].([]any)
		for _, l := range layers {
			facts, _ := l.(map[string]any)["facts"].([]any)
			for _, f := range facts {
				if f := f.(map[string]any); f["name"] == name {
					got, _ := f["got"].(string)
					return got
				}
			}
		}
	}
	return ""
}
