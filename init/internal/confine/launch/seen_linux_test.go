package launch_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A plan is of the confinement with which its order begins, and makes nothing: no private folder, no group.
func TestPlanOfEachConfinement(t *testing.T) {
	everything := order.Seen{Path: "/", Mode: order.CanWrite, Why: order.WhyAlways}
	for _, c := range []struct {
		document, begin string
		everything      bool
		home            string // the beginning of HOME
	}{
		{`{"version":1}`, "", false, "/nowhere/home"},
		{`{"version":1,"minConfinement":"limits"}`, "reduced", false, "/tmp/mcp-sandbox-NAME/home"},
		{`{"version":1,"minConfinement":"limits"}`, "limits", true, "/tmp/mcp-sandbox-NAME/home"},
		{`{"version":1,"level":"privileged"}`, "", true, "/nowhere/home"},
	} {
		e := newEngine(t, c.document)
		e.config.Order.Begin = c.begin
		p, err := launch.New(e.config).Plan()
		if err != nil {
			t.Errorf("%s, %s: %v", c.document, c.begin, err)
			continue
		}
		if slices.Contains(p.Sees, everything) != c.everything || !strings.HasPrefix(p.Home, c.home) || !slices.Contains(p.Variables, "HOME") ||
			!strings.HasSuffix(p.Command, "/cat") {
			t.Errorf("%s, %s: %+v", c.document, c.begin, p)
		}
		if _, err := os.Stat("/tmp/mcp-sandbox-NAME"); err == nil {
			t.Error("a plan made a folder")
		}
	}
}
