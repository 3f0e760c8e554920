package endings_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
)

// What a policy leaves open is over before the hosts' patience ends: 1.5 s after their SIGTERM, even when the shim
// itself asked before and would have waited longer. Beside each launch is one whose session alone ends, just before: its
// server is asked 5 s later, and killed 5 s after that.
func TestGraceByDefault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		asked  bool   // by the shim
		before string // what comes first of the other launch is later
	}{{"at once", false, "the other server was asked"}, {"after session", true, "the other server was killed"}} {
		for _, embedded := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				sometimes(t, func() error {
					other := start(t, of(says("TERM", ":")), "", false)
					run := start(t, launch{Launch: host.Launch{Command: says("TERM", ":")}, Embedded: embedded}, "", false)
					other.line("ready")
					run.line("ready")
					later := make(chan string, 2)
					go func() { later <- other.next(); later <- other.next() }()
					other.stdin.Close()
					if c.asked {
						run.stdin.Close()
						run.line("TERM")
						<-later // it was asked at the same time
					}
					from := time.Now()
					run.cmd.Process.Signal(syscall.SIGTERM)
					run.next() // nothing, where it took long to get here and its grace was over
					_, x := run.end()
					if took := time.Since(from); took < 1400*time.Millisecond || len(later) > 0 || x == nil || x.Signal != "SIGKILL" {
						return fmt.Errorf("killed after %s, and %s: %v, %+v", took, c.before, len(later) > 0, x)
					}
					return nil
				})
			})
		}
	}
}
