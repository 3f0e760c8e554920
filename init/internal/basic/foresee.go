package basic

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Plan is what [Run] would show the server of an order: all that the launcher's user has, and the private folders.
func Plan(o *order.Order) (*order.Plan, error) {
	p, err := newPlan(o)
	if err != nil {
		return nil, err
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
	for _, folder := range privateFolders() {
		path := filepath.Join(private, folder)
		all.Sees = append(all.Sees, order.Seen{Path: path, Mode: order.Private, Why: order.WhyAlways})
	}
	own := privateVariables(private)
	all.Home, all.Variables = order.Home(own), order.Names(slices.Concat(o.Env, own))
	return all, nil
}
