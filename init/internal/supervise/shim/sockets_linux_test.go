package shim_test

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// What serves the sockets begins to tell of refusals before the server can be refused anything.
func TestBeginsBeforeRelease(t *testing.T) {
	s := build(t, "")
	l := s.Launch(altered.Domains, "mark")
	l.Sockets = s.Path("write/mark")
	o := altered.Run(t, l)
	if ran, err := os.ReadFile(l.Sockets + " at Begin"); o.Code != 0 || !s.Ran(&o, "mark") || string(ran) != "false" {
		t.Errorf("code %d, at Begin %q, %v\n%s", o.Code, ran, err, o.Stderr)
	}
}

// A connection that is accepted and reset before connect(2) returns loses its error to a connect(2) that blocks, and the
// proof waits for that error. The kernel does so in some launch of thousands, so the program itself is looked at.
func TestProofOfResetDoesNotBlock(t *testing.T) {
	connectCall, socketCall := regexp.MustCompile(` connect\(#(\d+), (\{[^}]*\})`), regexp.MustCompile(` socket\(\d+, (0x[0-9a-f]+),`)
	const refused = "{0x10200c009000002, 0}" // 192.0.2.1 port 9: nobody listens there, and connect(2) has to say so
	s := build(t, "")
	blocks := map[bool][]string{}
	calls := s.List(t, altered.Domains)
	for _, c := range calls {
		connects := connectCall.FindStringSubmatch(c.Line)
		if connects == nil {
			continue
		}
		i, _ := strconv.Atoi(connects[1])
		made := socketCall.FindStringSubmatch(calls[i].Line)
		if made == nil {
			t.Fatalf("%s: %s", c.Line, calls[i].Line)
		}
		if kind, _ := strconv.ParseUint(made[1], 0, 32); kind&0xf == unix.SOCK_STREAM {
			blocking := kind&unix.SOCK_NONBLOCK == 0
			blocks[blocking] = append(blocks[blocking], connects[2])
		}
	}
	if !slices.Equal(blocks[true], []string{refused}) || len(blocks[false]) != 1 {
		t.Errorf("block: %q, do not: %q", blocks[true], blocks[false])
	}
}
