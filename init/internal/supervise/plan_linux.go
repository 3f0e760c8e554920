package supervise

import (
	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/stdio"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Plan is the program that Run would first give to the runner for this order on this machine, one line a call: that of the
// strongest confinement, or of none in level privileged. What the machine refuses, only a launch finds out. It is laid out
// in memory that nothing executes: no process is started, and a root launcher opens no grant.
func Plan(o *order.Order) ([]string, error) {
	s := &shim{Config: Config{Order: o}}
	var err error
	if s.policy, err = policy.ParseCanonical(o.Policy); err != nil {
		return nil, &order.Refusal{Layer: order.Policy, Op: "parse", Err: err}
	}
	s.rung = s.highest()
	if err = identify(&s.machine, &s.policy); err != nil {
		return nil, &order.Refusal{Layer: order.Namespaces, Op: "find out the ids", Err: err}
	}
	if s.shared() {
		if err = s.ownIDs(); err != nil {
			return nil, err
		}
	}
	if err = s.findDeadly(); err != nil { // behind a filter, that takes a process
		return nil, err
	}
	if err = look(&s.machine, s.rung); err != nil {
		return nil, &order.Refusal{Layer: order.Namespaces, Op: diagnose.OpLook, Err: err}
	}
	s.stdio = &stdio.Streams{Server: [3]int{0, 1, 2}, Terminal: stdio.Terminal{Given: stdio.IsControlling()}}
	if s.view, err = fsview.Plan(s.viewRequest()); err != nil {
		return nil, refusedView(err)
	}
	s.group.Group = cgroup.Foresee(s.groupRequest())
	s.launch = confine.NewLaunch(make([]byte, program.Size), &s.policy, s.rung, false)
	if err = s.lay(); err != nil {
		return nil, err
	}
	lines := make([]string, s.launch.Len())
	for i := range lines {
		lines[i] = s.launch.Line(i, nil)
	}
	return lines, nil
}
