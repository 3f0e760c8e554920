package supervise

import (
	"errors"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/digest"
	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// enforced is the first line of the report.
func (s *shim) enforced(layers []order.LayerReport) *order.Enforced {
	e := &order.Enforced{Event: "enforced", Version: 1, Level: string(s.policy.Level), Confinement: string(s.rung),
		MinConfinement: string(s.policy.MinConfinement), PolicySHA256: digest.Hex(s.Order.Policy), Command: s.Order.Command,
		PID: s.server, Kernel: s.machine.Kernel, LandlockABI: s.machine.LandlockABI, ImpliedGrants: s.view.Implied,
		Protected: s.view.Protected, Unprotected: s.view.Unprotected, EnvDropped: s.Order.Dropped, Layers: layers,
		Warnings: s.view.Warnings}
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

// RefuseEarly writes the one line of a launch that came to nothing before there was an order. Whoever calls it has said
// on standard error why.
func RefuseEarly(report int, why string) {
	s := sink{report: report, host: -1}
	s.last(&order.Refused{Event: "refused", Layer: order.Policy, Op: "read", Error: why})
}

// refuse tells why no server was started, and returns the exit code.
func (s *shim) refuse(err error) int { return Refuse(s.Config, err) }

// Refuse writes the one line of a refused launch, to the report and to standard error, and returns the exit code.
func Refuse(c Config, err error) int {
	r := &order.Refused{Event: "refused", Layer: order.Exec, Op: "start", Error: err.Error()}
	code := ending.ExitSandbox
	var refusal *rows.Refusal
	var signalled errSignalled
	switch {
	case errors.As(err, &refusal):
		r.Layer, r.Op, r.Path, r.Error = refusal.Layer, refusal.Op, refusal.Path, refusal.Err.Error()
	case errors.As(err, &signalled):
		code = ending.ExitSignal + int(signalled.signal)
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		r.Errno = int(errno)
	}
	switch {
	case errors.Is(err, view.ErrNotFound):
		code = ending.ExitMissing
	case errors.Is(err, view.ErrNotExecutable):
		code = ending.ExitCannot
	}
	r.Hint = hint(r.Layer, r.Op, errno)
	if all := (refusals{}); errors.As(err, &all) {
		r.Hint = all.hints
		if all.next != "" && !c.Order.Probe { // which makes its trial of the next anyway
			r.Hint = strings.TrimPrefix(r.Hint+"; or let the server start with less confinement: minConfinement "+string(all.next), "; ")
		}
	}
	if u := (unheld{}); errors.As(err, &u) {
		r.Hint = u.hint()
	}
	if errors.Is(err, view.ErrStarts) {
		r.Hint = "name the program that it starts, as node and the server's file, or set subprocess.allow to true"
	}
	s := sink{report: c.Order.ReportFD, host: c.Host}
	s.last(r)
	text := err.Error()
	if r.Hint != "" {
		text += " (" + r.Hint + ")"
	}
	c.Say(text)
	return code
}
