package egress_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// A name of several addresses is reached at one that answers, whichever family the client has taken.
func TestAddressesThatFail(t *testing.T) { both(t, testAddressesThatFail) }

func testAddressesThatFail(t *testing.T, in confinement) {
	s := newSite(t, "half.example.com")
	dead, _ := newAddresses(t)
	know(t, s.Name, name{Addresses: append([]netip.Addr{dead}, s.addresses()...)})
	s.listen(t, s.V4.String()+":7", whoami("half"))
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	rows := []row{{"the first address refuses", act("tcp", s.Name+":7", "220 half", "tcp4"), "220 half", ""}}
	if world.HasIPv6() {
		rows = append(rows, row{"IPv6 refuses", act("tcp", s.Name+":7", "220 half", "tcp6"), "220 half", ""})
	}
	e := l.rows(t, rows...)
	if len(e.Denied) > 0 {
		t.Errorf("denied %s", e.Denied)
	}
}

// A host that does not answer, and a name server that does not: an end in time, told as the host's own.
func TestSilentUpstream(t *testing.T) { beside(t, testSilentUpstream) }

func testSilentUpstream(t *testing.T, in confinement) {
	if testing.Short() {
		t.Skip("waits for ten seconds")
	}
	far, mute := "far."+in.name+".silent-upstream.example.com", "mute."+in.name+".silent-upstream.example.com"
	know(t, far, name{Addresses: []netip.Addr{netip.MustParseAddr(world.Silent4)}})
	know(t, mute, name{Silent: true})
	s := newSite(t, "near."+in.name+".silent-upstream.example.com").serve(t, 7, whoami("near"))
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{far + ":7", mute + ":7", s.Name + ":7"}}}
	e := l.rows(t,
		row{"a host that answers", act("banner", s.Name+":7"), "220 near", ""},
		row{"one that does not", act("patient", far+":7", ""), "", in.silent},
		row{"no name server", act("lookup", mute), "", in.mute})
	e.told(t, denied{Kind: "upstream", Host: far, Port: 7, Errno: "ETIMEDOUT"})
	e.told(t, denied{Kind: "upstream", Host: mute})
	if strings.Contains(e.Stderr.String(), "--allow") {
		t.Errorf("a flag is told that helps nothing: %s", &e.Stderr)
	}
}

// Attack 23: a ClientHello that does not go on is waited for, for ten seconds.
func TestHelloThatStops(t *testing.T) { beside(t, testHelloThatStops) }

func testHelloThatStops(t *testing.T, in confinement) {
	if testing.Short() {
		t.Skip("waits for ten seconds")
	}
	s := newSite(t, in.name+".stops.example.com").serveTLS(t, 443)
	hello := s.Name + ": GET  /tls"
	l := launch{in: in, network: network{Allowed: []string{s.Name}}}
	l.rows(t, row{"a whole one", act("tls", s.Name+":443", s.Name, "whole"), hello, ""},
		row{"three bytes of one", act("patient", s.Name+":443", "\x16\x03\x01"), "", "ECONNRESET"},
		row{"one in segments of a byte", act("tls", s.Name+":443", s.Name, "1"), map[bool]string{true: hello}[in.long == ""], in.long})
}

// What a server has sent when it ends arrives, though its host reads late.
func TestLastBytes(t *testing.T) { both(t, testLastBytes) }

func testLastBytes(t *testing.T, in confinement) {
	const size = 1 << 20
	begin, got := make(chan struct{}), make(chan string, 1)
	s := newSite(t, "last.example.com").serve(t, 7, func(c *net.TCPConn) {
		io.WriteString(c, "x") // the connection stands before anything is sent
		<-begin
		h := sha256.New()
		n, err := io.Copy(h, c)
		got <- fmt.Sprintf("%d %x %v", n, h.Sum(nil), err)
	})
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	run := host.Start(t, l.cmd(t, testbed.Self(t, "client"), clientIs, act("leave", s.Name+":7", strconv.Itoa(size))))
	server := run.Began().PID
	testbed.Await(t, "the server's end", func() bool { s := testbed.State(server); return s == "" || s == "Z" })
	close(begin)
	l.over(t, run)
	want := fmt.Sprintf("%d %s <nil>", size, patternHash(size))
	if all := testbed.Receive(t, "the end of the host's connection", got); all != want {
		t.Errorf("the host got %s, want %s\n%s%s", all, want, &run.Stdout, &run.Stderr)
	}
}

// Proxy variables in the policy's own environment would lead the server past its list of hosts, or nowhere.
func TestProxyVariableInPolicy(t *testing.T) { both(t, testProxyVariableInPolicy) }

func testProxyVariableInPolicy(t *testing.T, in confinement) {
	s := newSite(t, "variable.example.com").serve(t, 80, whoami("variable"))
	l := launch{in: in, Launch: host.Launch{Run: true}, network: network{Allowed: []string{s.Name}}, Env: map[string]string{"HTTPS_PROXY": "http://ann:mellon@proxy.example.com:3128"}}
	e := l.rows(t, row{"allowed", act("banner", s.Name+":80"), "220 variable", ""})
	if said := fmt.Sprintf("%s%s", e.Lines, &e.Stderr); !strings.Contains(said, "HTTPS_PROXY") || strings.Contains(said, "mellon") {
		t.Errorf("%s", said)
	}
}

// Level strict holds a list as standard does.
func TestStrict(t *testing.T) { both(t, testStrict) }

func testStrict(t *testing.T, in confinement) {
	s := newSite(t, "strict.example.com").serve(t, 7, whoami("strict")).serve(t, 8, whoami("strict"))
	l := launch{in: in, Level: "strict", Least: in.name, network: network{Allowed: []string{s.Name + ":7"}}}
	l.rows(t, row{"allowed", act("banner", s.Name+":7"), "220 strict", ""}, row{"another port", act("banner", s.Name+":8"), "", "ECONNREFUSED"},
		row{"another name", act("lookup", "x.strict.example.com"), "", "NXDOMAIN"})
}

// Two launches at once have a list each.
func TestTwoLaunches(t *testing.T) { both(t, testTwoLaunches) }

func testTwoLaunches(t *testing.T, in confinement) {
	for _, mine := range []string{"one", "two"} {
		t.Run(mine, func(t *testing.T) {
			t.Parallel()
			other := map[string]string{"one": "two", "two": "one"}[mine]
			s := newSite(t, mine+".pair-of.example.com").serve(t, 7, whoami(mine))
			l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
			l.rows(t, row{"mine", act("banner", s.Name+":7"), "220 " + mine, ""}, row{"the other's", act("lookup", other+".pair-of.example.com"), "", "NXDOMAIN"})
		})
	}
}
