package supervise

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/privdir"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// enforced is the first line of the report.
func (s *shim) enforced(layers []order.LayerReport) *order.Enforced {
	e := order.NewEnforced(s.Order, &s.policy, s.rung)
	e.PID, e.Kernel, e.LandlockABI, e.Layers = s.server, s.machine.Kernel, s.machine.LandlockABI, layers
	e.ImpliedGrants, e.Protected, e.Unprotected, e.Warnings = s.view.Implied, s.view.Protected, s.view.Unprotected, s.view.Warnings
	if text := s.lowered(); text != "" {
		e.Warnings = append([]string{text}, e.Warnings...)
	}
	return e
}

// warn says on standard error what the machine could not give and what the plan found worth a word; if that is asked for,
// also what holds.
func (s *shim) warn(e *order.Enforced) {
	for _, line := range e.Lines(s.Order.Verbose) {
		s.Say(line)
	}
}

// refuse tells why no server was started, and returns the exit code.
func (s *shim) refuse(err error) int {
	r := order.NewRefused(err)
	r.Hint = diagnose.Hint(err, diagnose.Here())
	if all := (refusals{}); errors.As(err, &all) {
		r.Hint = all.hints
		if all.next != "" && !s.Order.Probe { // which makes its trial of the next anyway
			r.Hint = diagnose.LessConfinement(r.Hint, string(all.next))
		}
	}
	if u := (unheld{}); errors.As(err, &u) {
		r.Hint = diagnose.NotHeld(u.hints, u.confinement)
	}
	if n := (*privdir.NoBase)(nil); errors.As(err, &n) {
		r.Hint = diagnose.PrivateFolder(n.UID)
	}
	if errors.Is(err, fsview.ErrStarts) {
		r.Hint = diagnose.StartsOthers
	}
	return s.sink.Refuse(err, r, s.Say)
}
