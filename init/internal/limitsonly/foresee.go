package limitsonly

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/report"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Plan is the view of a server of [Run]: all that the launcher's user has, and the private folders.
func Plan(o *order.Order) (*order.Plan, error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, report.Foresee(o, err, refused(o, err).Hint)
	}
	dir, err := filepath.Abs(string(filepath.Separator))
	if err != nil {
		return nil, err
	}
	all := &order.Plan{Command: p.command, Home: order.Home(o.Env), Cwd: p.workdir, User: p.user.String(),
		Sees: []order.Seen{{Path: dir, Mode: order.CanWrite, Why: order.WhyAlways}}, Variables: order.Names(o.Env)}
	if p.policy.Level == policy.Privileged {
		return all, nil
	}
	private := filepath.Join(os.TempDir(), "mcp-sandbox-NAME") // a launch chooses the folder
	home := filepath.Join(private, fsview.PrivateHome)
	for _, folder := range privateFolders() {
		if p.policy.State != "" && folder != fsview.PrivateTmp {
			continue // the home is another
		}
		path := filepath.Join(private, folder)
		all.Sees = append(all.Sees, order.Seen{Path: path, Mode: order.Private, Why: order.WhyAlways})
	}
	if p.policy.State != "" {
		if home, err = state.Foresee(p.policy.State, p.stateOwner()); err != nil {
			return nil, p.refusedState(err)
		}
		all.Sees = append(all.Sees, order.Seen{Path: home, Mode: order.CanWrite, Why: order.WhyState})
	}
	own := privateVariables(home, filepath.Join(private, fsview.PrivateTmp))
	all.Home, all.Variables = order.Home(own), order.Names(slices.Concat(o.Env, own))
	return all, nil
}
