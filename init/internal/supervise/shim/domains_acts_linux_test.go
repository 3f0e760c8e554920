package shim_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// domainsFlag makes this test binary a server that tries to undo what stands between it and the network.
const domainsFlag = "-acts-of-domains"

// tryDomains says of each act how it ended.
func tryDomains([]string) int {
	for _, act := range []struct {
		name string
		try  func() error
	}{
		{"listens on 443", func() error { return listens(443, 0) }},
		{"listens on 53", func() error { return listens(53, 0) }},
		{"listens on 8443", func() error { return listens(8443, 0) }},
		{"shares 8443", func() error { return listens(8443, unix.SO_REUSEPORT) }},
		{"reuses 8443", func() error { return listens(8443, unix.SO_REUSEADDR) }},
		{"own listener, every address", func() error { return listens(8444, 0) }},
		{"meets itself", meetsItself},
		{"UDP", sendsUDP},
		{"raw socket", func() error { return opens(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP) }},
		{"packet socket", func() error { return opens(unix.AF_PACKET, unix.SOCK_RAW, 0) }},
		{"adds a route", func() error { return alters(platform.LoRoute(netip.MustParseAddr("127.0.0.1"))) }},
		{"adds an address", func() error { return alters(platform.LoAddress(netip.MustParseAddr("192.0.2.1"))) }},
		{"sysctl", func() error { return os.WriteFile("/proc/sys/net/ipv4/ip_unprivileged_port_start", []byte("0"), 0) }},
	} {
		fmt.Printf("%s: %v\n", act.name, act.try())
	}
	return 0
}

// listens listens on a port of every address, with a socket option if it is not 0, and reaches itself at a foreign one.
func listens(port, option int) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if option != 0 {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, 1); err != nil {
			return err
		}
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	unix.Close(fd)
	if fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0); err != nil {
		return err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: port}); err != nil {
		return err
	}
	if err := unix.Listen(fd, 1); err != nil {
		return err
	}
	other, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(other)
	return unix.Connect(other, &unix.SockaddrInet4{Port: port, Addr: [4]byte{192, 0, 2, 9}})
}

// meetsItself connects a port to itself at a foreign address: without a source address of the sandbox's own that works.
func meetsItself() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: 9999}); err != nil {
		return err
	}
	return unix.Connect(fd, &unix.SockaddrInet4{Port: 9999, Addr: [4]byte{192, 0, 2, 1}})
}

// sendsUDP is told that nobody is there.
func sendsUDP() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: 443, Addr: [4]byte{192, 0, 2, 1}}); err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte("?"))
	if err == nil {
		_, err = unix.Write(fd, []byte("?"))
	}
	return err
}

func opens(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// alters sends a message of rtnetlink, and is the error of the answer.
func alters(message []byte) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, message); err != nil {
		return err
	}
	b := make([]byte, 256)
	n, err := unix.Read(fd, b)
	if err != nil {
		return err
	}
	errno, ok := platform.AckErrno(b[:n])
	if !ok {
		return errors.New("another answer")
	}
	if errno == 0 {
		return nil
	}
	return unix.Errno(errno)
}

// What the server does to its network namespace is refused, or reaches the server itself.
func TestActsWithDomains(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := build(t, "")
	o := altered.Run(t, launch{Launch: host.Launch{Policy: s.Policy(`{"version":1,"network":{"allowedDomains":["a.example","b.example:8443"]}}`),
		Command: []string{exe, domainsFlag}}, Env: []string{"HOME=" + s.Path("home"), "PATH=/usr/bin:/bin"}, Dir: s.Dir})
	const want = `listens on 443: permission denied
listens on 53: permission denied
listens on 8443: address already in use
shares 8443: address already in use
reuses 8443: address already in use
own listener, every address: <nil>
meets itself: connection refused
UDP: connection refused
raw socket: address family not supported by protocol
packet socket: address family not supported by protocol
adds a route: operation not permitted
adds an address: operation not permitted
sysctl: open /proc/sys/net/ipv4/ip_unprivileged_port_start: read-only file system
`
	if o.Code != 0 || o.Stdout != want {
		t.Errorf("code %d, did\n%s\nwant\n%s\n%s", o.Code, o.Stdout, want, o.Stderr)
	}
}
