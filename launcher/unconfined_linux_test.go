package launcher_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// noSandbox skips, without the long forms of the suite, what only tells apart what fails elsewhere.
func noSandbox(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it tells apart what fails elsewhere")
	}
}

// Unconfined: every later failure of the same table in a sandbox is the sandbox's.
func TestUnconfined(t *testing.T) {
	noSandbox(t)
	dir := t.TempDir()
	for _, s := range append(subjects(t, dir), languageServers(t, dir)[2:]...) {
		for host, drive := range map[string]func(context.Context, *testing.T, []string) times{
			"go": func(ctx context.Context, t *testing.T, words []string) times {
				return s.Go(ctx, t, exec.CommandContext(ctx, words[0], words[1:]...))
			},
			"typescript": func(ctx context.Context, t *testing.T, words []string) times {
				return s.TypeScript(ctx, t, words)
			},
		} {
			t.Run(s.Name+"/"+host, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
				defer cancel()
				times := drive(ctx, t, s.Command(t))
				t.Logf("initialize %.1f ms, close %.1f ms",
					times.Initialize.Seconds()*1000, times.Close.Seconds()*1000)
			})
		}
	}
}

// A server that is not there, or that is none, must show as an error and in the client's exit status.
func TestTypeScriptClientFails(t *testing.T) {
	noSandbox(t)
	for _, command := range []string{"/no/such/server", "false"} {
		if got := typeScriptClient(t.Context(), t, scenario{Command: command}); got.Error == "" {
			t.Errorf("%s: no error", command)
		}
	}
}

// The point of the TypeScript client is that its servers' standard streams are sockets.
func TestTypeScriptClientGivesSockets(t *testing.T) {
	noSandbox(t)
	got := typeScriptClient(t.Context(), t, scenario{
		Command: testbed.Program(t, "server-go"),
		Calls:   []request{call("attempt", object{"action": "descriptors"}, "").request},
	})
	if len(got.Results) != 1 || strings.Count(got.Results[0].Content[0].Text, `"kind":"socket"`) < 3 {
		t.Errorf("no three sockets: %+v", got)
	}
}

// How long a server takes from its start to the initialize reply, with nothing around it.
func BenchmarkInitialize(b *testing.B) {
	dir := b.TempDir()
	for _, s := range subjects(b, dir) {
		b.Run(s.Name, func(b *testing.B) {
			words := s.Command(b)
			s.Calls = nil
			var all []time.Duration
			for b.Loop() {
				all = append(all, s.Go(b.Context(), b, exec.Command(words[0], words[1:]...)).Initialize)
			}
			slices.Sort(all)
			b.ReportMetric(all[len(all)/2].Seconds()*1000, "ms-median")
			b.ReportMetric(all[0].Seconds()*1000, "ms-min")
		})
	}
}
