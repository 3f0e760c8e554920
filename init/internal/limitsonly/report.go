package limitsonly

import (
	"errors"
	"os"
	"runtime"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
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
	warning := notice.NoBarrier(diagnose.Elsewhere(runtime.GOOS))
	if p.Level == policy.Privileged {
		confinement, warning = policy.None, notice.NothingConfined
	} else {
		proved.add(order.Descriptors, s.plan.privateFact())
		proved.add(order.Descriptors, s.plan.stateFacts()...)
	}
	e := order.NewEnforced(&s.plan.Order, p, confinement)
	e.PID, e.Kernel, e.Layers = s.server.pid, kernel(), layers(proved, p, runtime.GOOS)
	if keys := unenforceable(p, runtime.GOOS); len(keys) > 0 {
		s.lowered = append(s.lowered, notice.NothingHolds(keys))
	}
	s.lowered = append(s.lowered, warning)
	e.Warnings = append(e.Warnings, s.lowered...)
	e.Notices = slices.Clone(s.Order.Notices)
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
	r := refused(s.Order, err)
	line, code := s.sink.Refuse(s.Order, err, r)
	s.Say(line)
	if s.Order.Keep {
		s.sink.KeepOnly(r)
	}
	return code
}

// refused is the record of a launch that failed, with the remedy.
func refused(o *order.Order, err error) *order.Refused {
	r := order.NewRefused(err)
	r.Hint = diagnose.Hint(err, diagnose.Circumstances{OS: runtime.GOOS})
	switch {
	case errors.Is(err, fsview.ErrNotFound):
		r.Hint = diagnose.NotFound(o.Command[0], r.Path, platform.UserHome(os.Getenv("HOME")))
	case errors.Is(err, fsview.ErrNotExecutable):
		r.Hint = diagnose.NotExecutable(r.Path, err)
	}
	if o.Guided {
		r.Hint = notice.InFlags(r.Hint)
	}
	return r
}
