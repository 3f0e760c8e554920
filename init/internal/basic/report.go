package basic

import (
	"errors"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// enforced is the first line of the report: the waiting server's limits, read back, and the system's missing
// layers.
func (s *shim) enforced() (*order.Enforced, error) {
	p := &s.plan.policy
	proved, err := s.server.evidence()
	if err != nil {
		return nil, err
	}
	confinement := policy.ConfinementLimits
	warning := "confinement limits is no barrier: the server reads, writes and reaches what you can; " +
		"for more run it in a " + diagnose.Elsewhere(runtime.GOOS)
	if p.Level == policy.Privileged {
		confinement, warning = policy.None, order.NothingConfined
	} else {
		proved.add(order.Descriptors, s.plan.privateFact())
		proved.add(order.Descriptors, s.plan.stateFacts()...)
	}
	e := order.NewEnforced(&s.plan.Order, p, confinement)
	e.PID, e.Kernel, e.Layers = s.server.pid, kernel(), layers(proved, p, runtime.GOOS)
	if keys := unenforceable(p, runtime.GOOS); len(keys) > 0 {
		e.Warnings = append(e.Warnings,
			"nothing holds "+strings.Join(keys, ", ")+" here: minConfinement limits was written out")
	}
	e.Warnings = append(e.Warnings, warning)
	for i := range e.Layers {
		if err := mismatch(&e.Layers[i]); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// mismatch is the refusal of a layer of which something other was read back than was set.
func mismatch(l *order.LayerReport) error {
	for _, f := range l.Facts {
		if f.Got != "" && f.Got != f.Want {
			err := errors.New("want " + f.Want + ", got " + f.Got)
			return &order.Refusal{Layer: l.Layer, Op: "prove", Path: f.Name, Err: err}
		}
	}
	return nil
}

// refuse writes why the server was not started, and returns the exit code.
func (s *shim) refuse(err error) int {
	r := order.NewRefused(err)
	r.Hint = diagnose.Hint(err, diagnose.Circumstances{OS: runtime.GOOS})
	return s.sink.Refuse(err, r, s.Say)
}
