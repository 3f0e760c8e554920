package limitsonly

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A plan names that nothing is held back, the private folders and their variables, and makes none of them.
func TestPlanMakesNothing(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, level := range []policy.Level{policy.Standard, policy.Privileged} {
		o, err := order.New(policy.Policy{Level: level, MinConfinement: policy.None}, policy.Run, []string{self},
			[]string{"HOME=" + t.TempDir(), "PATH=x"}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		p, err := Plan(o)
		if err != nil {
			t.Fatal(err)
		}
		private := 0
		for _, s := range p.Sees {
			if s.Mode == order.Private {
				private++
				if _, err := os.Stat(s.Path); err == nil {
					t.Errorf("%s was made", s.Path)
				}
			}
		}
		if p.Sees[0].Mode != order.CanWrite || (private > 0) != (level == policy.Standard) || p.Command != self {
			t.Errorf("%s: %+v", level, p)
		}
		if slices.Contains(p.Variables, "TMPDIR") != (level == policy.Standard) || !slices.Contains(p.Variables, "PATH") {
			t.Errorf("%s: %q", level, p.Variables)
		}
	}
}

// planState plans a launch with a state, whose folder is the home.
func planState(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o, err := order.New(policy.Policy{State: "acme", MinConfinement: policy.None}, policy.Run, []string{self}, []string{"PATH=x"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p, err := Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	home := order.Seen{Path: p.Home, Mode: order.CanWrite, Why: order.WhyState}
	if filepath.Base(p.Home) != "acme" || !slices.Contains(p.Sees, home) {
		t.Errorf("%+v", p)
	}
}
