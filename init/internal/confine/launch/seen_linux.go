package launch

import (
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Plan returns what Start would show the server and hand to it.
func (l *Launch) Plan() (*order.Plan, error) {
	a, err := l.foresee()
	if err != nil {
		return nil, err
	}
	v, m := a.View, &a.Machine
	p := &order.Plan{Command: v.Command, Home: v.Home, Cwd: v.Cwd, Sees: v.Sees(),
		User:    strconv.Itoa(m.UID) + ":" + strconv.Itoa(m.GID),
		TmpSize: v.TmpSize, Warnings: v.Warnings, Variables: order.Names(environ(&a.Sandbox))}
	if a.Confinement == policy.None || a.Confinement == policy.ConfinementLimits {
		p.Sees = append([]order.Seen{{Path: "/", Mode: order.CanWrite, Why: order.WhyAlways}}, private(p.Sees)...)
	}
	if a.Shared() {
		p.TmpSize = 0
	}
	return p, nil
}

// private are the private folders alone: beside them nothing is held back.
func private(all []order.Seen) []order.Seen {
	return slices.DeleteFunc(all, func(s order.Seen) bool { return s.Mode != order.Private })
}
