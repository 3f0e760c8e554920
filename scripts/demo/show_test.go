package main

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
)

// Colours take no room: taken out, the columns stand as they do without.
func TestColumns(t *testing.T) {
	lines := [][]cell{{{"ä", red}, {"b", ""}}, {{"longer", ""}, {"c", green}}}
	var plain, coloured strings.Builder
	printer{&plain, false}.columns(lines)
	printer{&coloured, true}.columns(lines)
	if want := "  ä       b\n  longer  c\n"; plain.String() != want {
		t.Errorf("got %q, want %q", plain.String(), want)
	}
	bare := strings.NewReplacer("\x1b["+neutral+"m", "", "\x1b["+red+"m", "", "\x1b["+green+"m", "", "\x1b[m", "").Replace(coloured.String())
	if bare != plain.String() || bare == coloured.String() {
		t.Errorf("%q, without colours %q, want %q", coloured.String(), bare, plain.String())
	}
}

// What does not hold must be seen: an absent layer, and a fact that the machine could not give.
func TestShowTellsWhatIsMissing(t *testing.T) {
	var b strings.Builder
	show(&b, nil, &launcher.Report{Confinement: "full", Level: "standard", Layers: []order.LayerReport{
		{Layer: order.Cgroup, State: order.Absent, Reason: "no controller", Effect: "only rlimits"},
		{Layer: order.Root, State: order.Proved, Facts: []order.Fact{{Name: "a", Got: "1"}, {Name: "hidepid", Reason: "old kernel"}}},
	}})
	for _, want := range []string{"absent  no controller", "only rlimits", "proved  1 facts", "without hidepid: old kernel"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in:\n%s", want, b.String())
		}
	}
}
