package try

import (
	"cmp"
	"fmt"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/reach"
)

// reaches launches a server that may reach hosts by name.
func (s *scene) reaches(t *testing.T) reach.Found {
	var p *place.Place
	trial := reach.Trial{Launcher: s.launcher, Probe: s.probe, Command: func(argv ...string) *exec.Cmd {
		var cmd *exec.Cmd
		cmd, p = s.command(t, argv...)
		return cmd
	}}
	found, err := trial.Run()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Remove(); err != nil {
		t.Fatal(err)
	}
	return found
}

// compareReach returns every difference: a server in confinement full or reduced reaches what its list names, and in any
// other a list refuses the launch.
func compareReach(e *matrix.Expectation, found reach.Found) (all []string) {
	want, refused := "", "allowedDomains"
	switch listed := cmp.Or(e.Listed, e.Confinement); listed {
	case full, reduced:
		want, refused = listed, ""
	case "":
		refused = e.Refused.Hint
	default:
		refused = cmp.Or(e.Listed, refused)
	}
	if found.Confinement != want {
		all = append(all, fmt.Sprintf("confinement is %q, expected %q: %s", found.Confinement, want, found.Refused))
	}
	if !strings.Contains(found.Refused, refused) {
		all = append(all, fmt.Sprintf("refused by %q, which does not say %q", found.Refused, refused))
	}
	return append(all, found.Wrong...)
}

// Of each kind of row what has to come of a list holds, and nothing else does.
func TestCompareReach(t *testing.T) {
	founds := map[string]reach.Found{
		"6.12-user":                  {Confinement: full},
		"6.12-max-user-namespaces-0": {Confinement: "reduced"},
		"6.12-masked-proc":           {Confinement: full},
		"6.12-yama-2":                {Refused: `{"op":"network.allowedDomains","error":"this one: network: sockets"}`},
		"5.10-user":                  {Refused: `{"hint":"it takes Linux 5.12"}`},
	}
	for name := range founds {
		e := row(t, name).Expect
		for other, found := range founds {
			if all := compareReach(&e, found); (all == nil) != reflect.DeepEqual(found, founds[name]) {
				t.Errorf("%s with what %s gives: %q", name, other, all)
			}
		}
		if compareReach(&e, reach.Found{Confinement: founds[name].Confinement, Refused: founds[name].Refused, Wrong: []string{"x"}}) == nil {
			t.Errorf("%s: a difference is passed over", name)
		}
	}
}
