package egress_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// hosted is a server that this process starts by package launcher alone, as any Go host does.
type hosted struct {
	*launcher.Sandbox
	in             confinement
	stdin          io.WriteCloser
	stdout, stderr bytes.Buffer
}

// startHosted starts the client with acts; the client ends after the last one, or with its standard input.
func startHosted(t *testing.T, ctx context.Context, in confinement, n policy.Network, acts ...string) *hosted {
	t.Helper()
	p := policy.Policy{Network: n, Filesystem: policy.Filesystem{AllowRead: []string{testbed.Self(t, "client")}}}
	target := launcher.Target{Path: testbed.Self(t, "client"), Args: append([]string{clientIs}, acts...), Dir: "/",
		Env: []string{"HOME=" + testbed.Folder(t), "PATH=/usr/bin:/bin", testbed.NoWait}}
	sb, err := launcher.Command(ctx, p, target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	h := &hosted{Sandbox: sb, in: in}
	sb.Cmd.Stdout, sb.Cmd.Stderr = &h.stdout, &h.stderr
	if h.stdin, err = sb.Cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if len(in.lacks) > 0 { // a launcher of another user than its host does not start
		testbed.Machine{Lacks: in.lacks, Root: os.Geteuid() == 0}.Put(t, sb.Cmd)
	}
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return h
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), testbed.Patience())
	t.Cleanup(stop)
	return ctx
}

// A Go host starts two servers at once, each with a list of its own, and each reaches its own name alone.
func TestGoHost(t *testing.T) { both(t, testGoHost) }

func testGoHost(t *testing.T, in confinement) {
	a, b := newSite(t, "a.gohost.example.com"), newSite(t, "b.gohost.example.com")
	for _, s := range []*site{a, b} {
		s.serve(t, 7, whoami(s.Name)).serve(t, 8, whoami(s.Name))
	}
	ctx := within(t)
	t.Run("servers", func(t *testing.T) {
		for own, other := range map[*site]*site{a: b, b: a} {
			list := policy.Network{AllowedDomains: []string{own.Name + ":7"}}
			h := startHosted(t, ctx, in, list, act("wait"), act("banner", own.Name+":7"), act("tcp", own.Name+":7", "220 "),
				act("banner", other.Name+":7"), act("banner", own.Name+":8"), act("banner", other.V4.String()+":7"))
			t.Run(own.Name, func(t *testing.T) {
				t.Parallel()
				h.proved(t, ctx, own)
				h.reached(t, ctx, own, other)
			})
		}
	})
	for _, r := range outside(t, nil, act("banner", a.Name+":8"), act("banner", b.V4.String()+":7")) {
		if r.Error != "" {
			t.Errorf("outside: %s", r)
		}
	}
}

// proved demands that the report names the list before the server has made an act, and lets the server make them.
func (h *hosted) proved(t *testing.T, ctx context.Context, own *site) {
	t.Helper()
	report, err := h.Report(ctx)
	if err != nil {
		h.Cmd.Wait()
		t.Fatalf("%v\n%s", err, &h.stderr)
	}
	named := func(f *order.Fact) bool { return strings.Contains(f.Name, own.Name) && f.Got == f.Want }
	if got := string(report.Confinement); got != h.in.name {
		t.Errorf("the confinement is %s", got)
	}
	if l := report.Layer(order.Network); l.State != order.Proved || l.Fact(named) == nil {
		t.Errorf("layer network is %+v", l)
	}
	if n := own.Accepted.Load(); n != 0 {
		t.Errorf("%d connections before the server was told to begin", n)
	}
	if _, err := io.WriteString(h.stdin, "\n"); err != nil {
		t.Error(err)
	}
}

// reached holds what the server reached against its list, and against the result.
func (h *hosted) reached(t *testing.T, ctx context.Context, own, other *site) {
	t.Helper()
	end, err := h.Wait(ctx)
	if bad := h.Cmd.Wait(); err != nil || bad != nil {
		t.Fatalf("%v, %v\n%s", err, bad, &h.stderr)
	}
	hello := "220 " + own.Name
	want := []struct{ text, err string }{
		{}, {hello, ""}, {"220 ", ""}, {"", "NXDOMAIN"}, {"", "ECONNREFUSED"}, {"", h.in.refused}}
	got := results(t, &h.stdout)
	if len(got) != len(want) {
		t.Fatalf("results %v", got)
	}
	for i, r := range got {
		if r.Text != want[i].text || r.Error != want[i].err {
			t.Errorf("%s, want %q", r, want[i])
		}
	}
	if len(end.Egress) != 1 {
		t.Fatalf("egress %+v", end.Egress)
	}
	if e := end.Egress[0]; e.Host != own.Name || e.Port != 7 || e.Connections != 2 || e.Sent != 4 || e.Received < int64(len(hello)) {
		t.Errorf("egress %+v", e)
	}
	for _, refused := range []order.Act{{Kind: "name", Host: other.Name},
		{Kind: "port", Host: own.Name, Port: 8}, {Kind: "address", Address: other.V4.String(), Port: 7}} {
		counted := func(d order.DeniedCount) bool { return d.Act == refused && d.Count > 0 } // of each family
		if !slices.ContainsFunc(end.Denied, counted) {
			t.Errorf("no %+v in %+v", refused, end.Denied)
		}
	}
	if end.Cause != order.CauseExit || len(end.Denied) != 3 {
		t.Errorf("%+v", end)
	}
}
