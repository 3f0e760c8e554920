package shim_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Where the machine is found to have no Landlock there is no confinement reduced, even if the kernel would take the rules: the
// launch is refused, or gets the confinement below if its policy allows that.
func TestReducedTakesLandlock(t *testing.T) {
	const noLandlock = -1
	for _, c := range []struct {
		least string
		abi   int    // as [launch] has it
		want  string // the confinement; "" if the launch is refused
	}{
		{"reduced", noLandlock, ""},
		{"limits", noLandlock, "limits"},
		{"reduced", 1, "reduced"}, // the least version there is
	} {
		t.Run(c.least+" with ABI "+strconv.Itoa(max(c.abi, 0)), func(t *testing.T) {
			if machine, err := platform.LandlockABI(); c.want == "reduced" && (err != nil || machine == 0) {
				testbed.Missing(t, "landlock", "without Landlock there is no confinement reduced")
			}
			s := build(t, "")
			l := s.Launch(altered.Weaker(grants, c.least), "mark")
			l.Begin, l.ABI = "reduced", c.abi
			o := altered.Run(t, l)
			if c.want == "" {
				if o.Code != 125 || o.Event() != "refused" || s.Ran(&o, "mark") || !strings.Contains(o.Stderr, "landlock: landlock_create_ruleset: ") {
					t.Errorf("code %d, %v, %q\n%s", o.Code, o.Report, o.Stdout, o.Stderr)
				}
				return
			}
			if o.Code != 0 || len(o.Report) != 2 || o.Report[0]["confinement"] != c.want || !s.Ran(&o, "mark") {
				t.Errorf("code %d, %v\n%s", o.Code, o.Report, o.Stderr)
			}
		})
	}
}
