package egress_test

import (
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A confinement is one that holds a list of hosts. Its fields are all that a server sees of the difference: in full the
// kernel of the server's own network answers, in reduced the launcher does, which makes each socket.
type confinement struct {
	name  string
	lacks []testbed.Lack // of a machine that has nothing stronger

	// refused is the error of a connection that the policy, the host or the company's proxy refuses. That kernel has
	// made the connection by then; the launcher answers connect(2) when the outcome is known.
	refused string
	// silent is the error of a connection to a host that does not answer, as with refused.
	silent string
	// listen is the error of listen(2): the one loopback that there is in reduced is the host's.
	listen string
	// taken is the error of bind(2) to a port that the launcher listens on in full. In reduced nothing is bound.
	taken string
	// none is the error without a list: of a network that leads nowhere, or of socket(2).
	none string
	// aborted is the error that a host has of a connection which the server resets: SO_LINGER makes no reset of the end
	// of a pair.
	aborted string
	// segment is of how few bytes the writes of a ClientHello may be that has to be whole: each takes memory of the
	// kernel's until the launcher reads it, and 278 of them are all that a pair's end has.
	segment string
	// long is the error of a ClientHello in more writes than that.
	long string
	// full is the error of a connection for which the launcher has no descriptor: in reduced there is no socket either.
	full string
	// mute is the error of a look-up that no name server answers: in reduced by the machine's resolv.conf(5), which
	// gives up as soon as the launcher does.
	mute string
	// unread is the error of a client with 800 questions that reads no answer: a pair's end has no room for so many.
	unread string
}

var full = confinement{
	name:    "full",
	refused: "ECONNRESET",
	silent:  "ECONNRESET",
	taken:   "EACCES|EADDRINUSE",
	none:    "ECONNREFUSED|ENETUNREACH",
	aborted: "ECONNRESET",
	segment: "1",
	full:    "ECONNRESET",
	mute:    "SERVFAIL",
}

var reduced = confinement{
	name:    "reduced",
	lacks:   []testbed.Lack{testbed.NoClone},
	refused: "ECONNREFUSED",
	silent:  "ETIMEDOUT",
	listen:  "EACCES",
	none:    "EAFNOSUPPORT",
	aborted: "EOF",
	segment: "8",
	long:    "ECONNRESET|EPIPE",
	unread:  "ECONNRESET|EPIPE",
	full:    "ENFILE|ECONNREFUSED",
	mute:    "SERVFAIL|timeout",
}

// both tries a test in each confinement, one after the other.
func both(t *testing.T, test func(t *testing.T, in confinement)) {
	t.Helper()
	for _, in := range [...]confinement{full, reduced} {
		t.Run(in.name, func(t *testing.T) {
			in.need(t)
			test(t, in)
		})
	}
}

// beside tries a test in both confinements at once, and beside other tests, for one that sleeps most of the time. What
// the two share has the confinement's name in its own.
func beside(t *testing.T, test func(t *testing.T, in confinement)) {
	t.Helper()
	t.Parallel()
	both(t, func(t *testing.T, in confinement) {
		t.Parallel()
		test(t, in)
	})
}

// need skips a test in a confinement that this machine cannot have.
func (in confinement) need(t *testing.T) {
	t.Helper()
	if len(in.lacks) == 0 {
		return
	}
	if abi, err := platform.LandlockABI(); err != nil || abi == 0 {
		testbed.Missing(t, "landlock", "without Landlock there is no confinement reduced")
	}
}

// datagram are the rows of a datagram that goes nowhere. By a socket of full's own network the server learns of that; a
// pair's end takes each, and only a datagram with an address is a call that the launcher can refuse.
func (in confinement) datagram(name, at, errno string) []row {
	if in.name == full.name {
		return []row{{name, act("udp", at), "", errno}}
	}
	return []row{{name, act("udp-sent", at), "", ""}, {name + ", with its address", act("udp-to", at), "", "ECONNREFUSED"}}
}

// resolvConf is what the server has as its resolv.conf(5): without mounts that is the machine's.
func (in confinement) resolvConf(t *testing.T) string {
	t.Helper()
	if in.name == full.name {
		return "nameserver " + sandbox4
	}
	b, err := os.ReadFile("/etc/resolv.conf")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// proved demands that the first line of the report proves the list: in full each name has listeners of its ports; in
// reduced the launcher makes the sockets, and an allowed name has no records of TXT for one of those.
func (in confinement) proved(t *testing.T, e *ended, names ...string) {
	t.Helper()
	facts := []string{"TCP socket", "UDP socket", "TXT of " + names[0], "calls that the launcher answered"}
	if in.name == full.name {
		facts = nil
		for _, n := range names {
			facts = append(facts, "reachable "+n)
		}
	}
	for _, name := range facts {
		if f := e.Fact(order.Network, name); f.Got == "" || f.Got != f.Want {
			t.Errorf("%s: %+v in %+v", name, f, e.Layer(order.Network))
		}
	}
	if l := e.Layer(order.Network); l.State != order.Proved {
		t.Errorf("%+v", l)
	}
}
