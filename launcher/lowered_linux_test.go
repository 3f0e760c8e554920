package launcher

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A refusal of the machine is remembered for launches that may begin lower, and for no others: here the first launch alone
// is on a machine without user namespaces.
func TestRemembered(t *testing.T) {
	t.Cleanup(func() { refusalCache.Clear() })
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	launch := func(p policy.Policy, lacks ...testbed.Lack) (confinement, warnings string) {
		t.Helper()
		sb, err := Command(ctx, p, Target{Path: "/bin/true", Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		if len(lacks) > 0 {
			testbed.Machine{Lacks: lacks, Root: os.Geteuid() == 0}.Put(t, sb.Cmd)
		}
		if err := sb.Cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer sb.Cmd.Wait()
		report, err := sb.Report(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return report.Confinement, strings.Join(report.Warnings, "\n")
	}
	full := policy.Policy{MinConfinement: policy.Full}
	usual, _ := launch(policy.Policy{})
	if usual != string(policy.Full) {
		t.Skip("this machine gives " + usual)
	}
	for i, c := range []struct {
		p     policy.Policy
		lacks []testbed.Lack
		want  policy.Confinement
	}{
		{policy.Policy{}, []testbed.Lack{testbed.NoUserNamespaces}, policy.Reduced},
		{policy.Policy{}, nil, policy.Reduced}, // remembered
		{full, nil, policy.Full},               // which may not begin lower
		{policy.Policy{Level: policy.LevelNetwork}, nil, policy.Full},
	} {
		got, warnings := launch(c.p, c.lacks...)
		if got != string(c.want) || (got == string(policy.Reduced)) != strings.Contains(warnings, "this machine refused") {
			t.Errorf("launch %d: %s, want %s; %s", i, got, c.want, warnings)
		}
	}
}
