package noshim

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Starts that fail, or whose context has ended, hold up others for a moment at most, though their host keeps them.
func TestStartsThatFail(t *testing.T) {
	ordinary(t)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, fail := range map[string]func() *launcher.Sandbox{
		"over": func() *launcher.Sandbox { return command(t, over, waits) },
		"no folder": func() *launcher.Sandbox {
			sb := command(t, t.Context(), waits)
			sb.Cmd.Dir = "/missing"
			return sb
		},
	} {
		t.Run(name, func(t *testing.T) {
			var failed []*launcher.Sandbox
			for range max(4, runtime.NumCPU()) {
				sb := fail()
				if sb.Cmd.Start() == nil {
					t.Fatal("it has started")
				}
				failed = append(failed, sb)
			}
			testbed.Await(t, "a start that does not wait", func() bool {
				sb := command(t, t.Context(), waits) // whose standard input is at its end
				began := time.Now()
				start(t, sb)
				took := time.Since(began)
				_ = sb.Cmd.Wait()
				return took < time.Second/2
			})
			runtime.KeepAlive(failed)
		})
	}
}
