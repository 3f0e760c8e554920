package reexec_test

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// right is what the right start of a shim ends with: the server has run.
func right(t *testing.T, code int, out, errs string) {
	t.Helper()
	if code != 7 || out != "ran\n" {
		t.Errorf("status %d, said %q\n%s", code, out, errs)
	}
}

// wrong is what every other start ends with.
func wrong(t *testing.T, code int, out, errs, why string) {
	t.Helper()
	if code != 125 || out != "" || !strings.HasPrefix(errs, "mcp-sandbox: ") || !strings.Contains(errs, why) || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, said %q, want 125 and %q\n%s", code, out, why, errs)
	}
}

func TestRefusedStarts(t *testing.T) {
	own := testbed.Copy(t, 0o755)
	code, out, errs := as(t, own, 0, start{Binary: own})
	right(t, code, out, errs)
	for _, c := range []struct {
		name  string
		start start
		why   string
	}{
		{"no arguments", start{Args: []string{}}, "arguments"},
		{"other arguments", start{Args: []string{"shell"}}, "arguments"},
		{"more arguments", start{Args: []string{reexec.ByHost, "x"}}, "arguments"},
		{"order without seals", start{Order: "unsealed"}, "sealed"},
		{"order that can be written to", start{Order: "half"}, "sealed"},
		{"order in a file", start{Order: "file"}, "sealed"},
		{"order in a pipe", start{Order: "pipe"}, "sealed"},
		{"no order", start{Order: "none"}, "sealed"},
		{"empty order", start{Order: "empty"}, "order"},
		{"order with more behind it", start{Order: "garbage"}, "order"},
		{"stream", start{Socket: "stream"}, "SEQPACKET"},
		{"datagram", start{Socket: "datagram"}, "SEQPACKET"},
		{"pipe", start{Socket: "pipe"}, "SO_TYPE"},
		{"no socket", start{Socket: "none"}, "SO_TYPE"},
		{"no socket for itself either", start{Args: []string{reexec.BySelf, "3"}, Order: "unsealed"}, "sealed"},
		{"for itself, another descriptor", start{Args: []string{reexec.BySelf, "4"}}, "sealed"},
		{"for itself, no descriptor", start{Args: []string{reexec.BySelf, "-1"}}, "sealed"},
		{"for itself, no number", start{Args: []string{reexec.BySelf, "x"}}, "arguments"},
		{"for itself, nothing", start{Args: []string{reexec.BySelf}}, "arguments"},
		{"for itself, more", start{Args: []string{reexec.BySelf, "3", "4"}}, "arguments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.start.Binary = own
			code, out, errs := as(t, own, 0, c.start)
			wrong(t, code, out, errs, c.why)
		})
	}
}

// The socket of one host, handed on by another: the other end is not the parent.
func TestForeignPeer(t *testing.T) {
	own := testbed.Copy(t, 0o755)
	s := start{}
	down, err := s.order()
	if err != nil {
		t.Fatal(err)
	}
	up, err := s.socket()
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := as(t, own, 0, start{Binary: own, Given: true}, down, up)
	wrong(t, code, out, errs, "parent")

	s.Binary = own // and the same two, from the host that made them
	cmd, err := s.command()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = []string{reexec.Name, reexec.ByHost}
	code, out, errs = testbed.Finish(t, cmd)
	right(t, code, out, errs)
}
