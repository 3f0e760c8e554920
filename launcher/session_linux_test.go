package launcher_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The main job from a Go host: real servers, confined, driven by the official SDK over the plain Cmd.
func TestGoHost(t *testing.T) {
	for _, s := range sessions(t) {
		t.Run(s.Name, func(t *testing.T) {
			s.find(t)
			s.goHost(t)
		})
	}
}

func (s *session) goHost(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	sb := s.command(ctx, t)
	times := s.Go(ctx, t, sb.Cmd)
	report, err := sb.Report(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.checkReport(t, report)
	end, err := sb.Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	checkEnd(t, end)
	t.Logf("initialize %.1f ms, close %.1f ms", times.Initialize.Seconds()*1000, times.Close.Seconds()*1000)
}

func (s *session) command(ctx context.Context, t *testing.T) *launcher.Sandbox {
	t.Helper()
	sb, err := launcher.Command(ctx, s.policy(t), launcher.Target{Path: s.words[0], Args: s.words[1:]})
	if err != nil {
		t.Fatal(err)
	}
	sb.Cmd.Stderr = os.Stderr
	t.Cleanup(func() { sb.Close() })
	return sb
}

// checkEnd demands that the server ended as servers do when their client hangs up: by themselves. No server that is good
// makes a call of the dangerous set.
func checkEnd(t *testing.T, end *order.Exited) {
	t.Helper()
	if end.Cause != order.CauseExit || end.ExitCode != 0 || end.Signal != "" || end.Killed != 0 || end.WallSeconds <= 0 || len(end.Denied) != 0 {
		t.Errorf("ended by %s, denied %v, code %d, signal %q, %d killed, after %f s", end.Cause, end.Denied, end.ExitCode, end.Signal, end.Killed, end.WallSeconds)
	}
}

// The positive control of the grants is TestGoHost; here each is taken away in turn, and the server cannot do its job.
func TestEachGrantIsNeeded(t *testing.T) {
	for _, s := range shortly(t) {
		t.Run(s.Name, func(t *testing.T) {
			s.find(t)
			for _, list := range []*[]string{&s.read, &s.write} {
				if len(*list) == 0 {
					continue
				}
				whole := *list
				*list = nil
				if s.works(t) {
					t.Errorf("works without %q", whole)
				}
				*list = whole
			}
		})
	}
}

// works reports whether the server answers initialize and every call as it should.
func (s *session) works(t *testing.T) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	sb := s.command(ctx, t)
	sb.Cmd.Stderr = nil // a server that cannot start says much
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}}).Connect(ctx, &mcp.CommandTransport{Command: sb.Cmd}, nil)
	if err != nil {
		return false
	}
	defer client.Close()
	for _, c := range s.Calls {
		answer, err := client.CallTool(ctx, &mcp.CallToolParams{Name: c.Name, Arguments: c.Arguments})
		if !c.Refused && (err != nil || answer.IsError) {
			return false
		}
	}
	return true
}

// A Node that a version manager installed lies in the home that a server must not see: its installation is shown, the
// home is not.
func TestNodeOfVersionStore(t *testing.T) {
	if testing.Short() {
		t.Skip("TestInstallations starts a Node of a version store, and fsview's TestCommand has what is implied for nvm")
	}
	node := testbed.Node(t)
	home := testbed.Folder(t)
	prefix := filepath.Join(home, ".nvm", "versions", "node", "v20.0.0")
	for _, dir := range []string{"bin", "lib/node_modules"} {
		if err := os.MkdirAll(filepath.Join(prefix, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(prefix, "bin", "node")
	copyFile(t, node, own)
	t.Setenv("HOME", home)
	for _, s := range sessions(t) {
		if s.Name != "server-everything" {
			continue
		}
		s.find(t)
		s.words[0] = own
		s.implied = []string{prefix}
		s.goHost(t)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}
