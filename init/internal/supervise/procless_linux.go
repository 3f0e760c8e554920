package supervise

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// procless is an error if full was proved without a /proc of its own, as in a container whose /proc is masked, and the policy
// does not ask for full: Java, Node and bash need /proc, and reduced has the machine's.
func (s *shim) procless(e *order.Enforced) error {
	if s.rung != policy.Full || s.bare || s.policy.MinConfinement == policy.Full {
		return nil
	}
	for i := range e.Layers {
		for _, f := range e.Layers[i].Facts {
			if f.Name == "fresh /proc" && f.Got == "" {
				return &order.Refusal{Layer: order.Root, Op: "mount", Path: "/proc", Err: diagnose.NoProc{Reason: f.Reason}}
			}
		}
	}
	return nil
}

// climbs reports whether full without a /proc is the best there is: reduced, tried in its place, was refused, by the machine
// or because it does not hold what the policy denies.
func (s *shim) climbs(err error) bool {
	if s.bare || len(s.refused) == 0 || s.rung != policy.Reduced {
		return false
	}
	return diagnose.IsNoProc(s.refused[len(s.refused)-1]) && errors.As(err, new(*order.Refusal))
}
