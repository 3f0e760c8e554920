package egress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Where the launcher cannot make the server's sockets a confinement below full holds no list, and says so with the
// cause, unless the policy itself is content with that; then the server has no network.
func TestListNotHeld(t *testing.T) {
	noClone := []testbed.Lack{testbed.NoClone}
	for _, c := range []struct {
		name   string
		launch launch
		least  string   // with which the policy is content
		said   []string // by the refusal
	}{
		{"limits", launch{lacks: append(noClone, testbed.NoLandlock)}, "limits", []string{"andlock"}},
		{"a denied call", launch{lacks: noClone, Deny: []string{"connect"}}, "reduced", []string{"allowedDomains", "deny connect"}},
		{"another listener", launch{lacks: noClone, Prefix: []string{testbed.Self(t, "client"), listened}}, "reduced",
			[]string{"allowedDomains", "EBUSY|device or resource busy"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := c.launch
			l.Allowed = []string{"x.example.com"}
			run := startRefused(t, l)
			all := fmt.Sprintf("%s%s", run.Lines, &run.Stderr)
			if run.Code != 125 || run.Exited.Event != "refused" {
				t.Errorf("code %d, %s", run.Code, all)
			}
			for _, words := range c.said {
				if !holdsOne(all, words) {
					t.Errorf("no %s in %s", words, all)
				}
			}
			l.Launch, l.Least = host.Launch{Run: true}, c.least
			e := l.command(t, "/bin/echo", "ran")
			if got := string(e.Enforced.Confinement); e.Code != 0 || e.Stdout.String() != "ran\n" || got != c.least ||
				!strings.Contains(e.Stderr.String(), "network") {
				t.Errorf("code %d, confinement %s, %q, %s", e.Code, got, &e.Stdout, &e.Stderr)
			}
		})
	}
}
