package egress_test

import (
	"errors"
	"net"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
	"golang.org/x/sys/unix"
)

// Attack 31: routes, addresses and sysctls of the sandbox stay as they are, and no namespace beside it opens.
func TestNetworkStays(t *testing.T) { both(t, testNetworkStays) }

func testNetworkStays(t *testing.T, in confinement) {
	s := newSite(t, "stays.example.com").serve(t, 7, whoami("stays"))
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	l.rows(t,
		row{"before", act("banner", s.Name+":7"), "220 stays", ""},
		row{"a route", act("route"), "", "EPERM|EACCES|EAFNOSUPPORT|EPROTONOSUPPORT"},
		row{"a sysctl", act("write", "/proc/sys/net/ipv4/ip_unprivileged_port_start", "0"), "", "EACCES|EROFS|ENOENT|EPERM"},
		row{"after", act("banner", s.Name+":7"), "220 stays", ""})
	if err := world.Route(unix.RTN_LOCAL, "198.51.100.77/32", world.Machine4).Send(); os.Geteuid() == 0 && err != nil && !errors.Is(err, unix.EEXIST) {
		t.Errorf("outside: %v", err) // with the right to
	}
}

// Attack 45: when the shim is killed, what it relayed ends, and so does the server.
func TestShimDies(t *testing.T) { both(t, testShimDies) }

func testShimDies(t *testing.T, in confinement) {
	seen, over := make(chan struct{}), make(chan struct{})
	s := newSite(t, "dies.example.com").serve(t, 7, func(c *net.TCPConn) {
		close(seen)
		holds(c)
		close(over)
	})
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	cmd := l.cmd(t, testbed.Self(t, "client"), clientIs, act("hold", s.Name+":7"))
	run := host.Hold(t, cmd)
	defer run.Stdin.Close()
	server := run.Began().PID
	testbed.Receive(t, "the connection", seen)
	cmd.Process.Kill()
	run.Wait()
	testbed.Receive(t, "the connection's end", over)
	testbed.Await(t, "the server's end", func() bool { s := testbed.State(server); return s == "" || s == "Z" })
}

// Attack 40: an address inside stands for its name. When the name moves, the address leads to where the name is.
func TestMovedName(t *testing.T) { beside(t, testMovedName) }

func testMovedName(t *testing.T, in confinement) {
	if testing.Short() {
		t.Skip("an answer is kept for 30 seconds")
	}
	old := newSite(t, in.name+".moved.example.com").serve(t, 7, whoami("old"))
	v4, v6 := newAddresses(t)
	later := &site{Name: old.Name, V4: v4, V6: v6}
	later.serve(t, 7, whoami("new"))
	know(t, old.Name, name{Addresses: old.addresses(), TTL: 1})
	moved := newSite(t, in.name+".moved-now.example.com").serve(t, 7, func(c *net.TCPConn) {
		know(t, old.Name, name{Addresses: later.addresses(), TTL: 1})
		echo(c)
	})
	l := launch{in: in, network: network{Allowed: []string{old.Name + ":7", moved.Name + ":7"}}}
	l.rows(t,
		row{"before", act("banner", old.Name+":7"), "220 old", ""},
		row{"the move", act("tcp", moved.Name+":7", "x"), "x", ""},
		row{"kept as long as it may be", act("until", old.V4.String()+":7", "220 new"), "220 new", ""})
}

// A client of IPv6 that asks another name server gets its answer from that address, as one of IPv4 does.
func TestNameServerOfIPv6(t *testing.T) { both(t, testNameServerOfIPv6) }

func testNameServerOfIPv6(t *testing.T, in confinement) {
	if !world.HasIPv6() {
		t.Skip("this kernel has no IPv6")
	}
	s := newSite(t, "six.example.com")
	l := launch{in: in, network: network{Allowed: []string{s.Name}}}
	e := l.acts(t, act("packet", "udp", "[2001:db8::9]:53", query(s.Name, typeA)))
	if r := e.Results[0]; len(r.All) != 1 || len(answered(t, r.All[0]).Answers) != 1 {
		t.Errorf("%s: answers %v", r, r.All)
	}
}

// Two programs of the host may listen on one port, one of each family: the server reaches the one that it asks for.
func TestLocalhostOfEachFamily(t *testing.T) { both(t, testLocalhostOfEachFamily) }

func testLocalhostOfEachFamily(t *testing.T, in confinement) {
	if !world.HasIPv6() {
		t.Skip("this kernel has no IPv6")
	}
	host, port := &site{}, freePort(t)
	host.listen(t, "127.0.0.1:"+port, whoami("four"))
	host.listen(t, "[::1]:"+port, whoami("six"))
	l := launch{in: in, network: network{Allowed: []string{"localhost:" + port}}}
	l.rows(t, row{"IPv4", act("banner", "127.0.0.1:"+port), "220 four", ""}, row{"IPv6", act("banner", "[::1]:"+port), "220 six", ""})
}
