package basic

import (
	"errors"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// enforced is the first line of the report: what was read back of the server that waits, and what this system lacks.
func (s *shim) enforced() (*order.Enforced, error) {
	proved, err := s.server.evidence()
	if err != nil {
		return nil, err
	}
	confinement, said := policy.ConfinementLimits, "confinement limits is no barrier: the server reads, writes and reaches what you can; for more run it in a "+
		diagnose.Elsewhere(runtime.GOOS)
	if s.policy.Level == policy.Privileged {
		confinement, said = policy.None, order.NothingConfined
	} else {
		proved[order.Descriptors].Facts = append(proved[order.Descriptors].Facts, s.private.facts()...)
	}
	e := report.Enforced(s.Order, &s.policy, confinement)
	e.PID, e.Kernel, e.Layers = s.server.pid, kernel(), layers(proved, &s.policy, runtime.GOOS)
	if keys := unheld(&s.policy, runtime.GOOS); len(keys) > 0 {
		e.Warnings = append(e.Warnings, "nothing holds "+strings.Join(keys, ", ")+" here: minConfinement limits was written out")
	}
	e.Warnings = append(e.Warnings, said)
	for i := range e.Layers {
		if bad := mismatch(&e.Layers[i]); bad != nil {
			return nil, bad
		}
	}
	return e, nil
}

// mismatch is the refusal of a layer of which something other was read back than was set.
func mismatch(l *order.LayerReport) error {
	for _, f := range l.Facts {
		if f.Got != "" && f.Got != f.Want {
			return &order.Refusal{Layer: l.Layer, Op: "prove", Path: f.Name, Err: errors.New("want " + f.Want + ", got " + f.Got)}
		}
	}
	return nil
}

// refuse tells why no server runs, and returns the exit code.
func (s *shim) refuse(err error) int {
	r := report.Refused(err)
	r.Hint = diagnose.Hint(err, diagnose.Facts{OS: runtime.GOOS})
	return s.sink.Refuse(err, r, s.Say)
}
