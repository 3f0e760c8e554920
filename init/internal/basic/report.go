package basic

import (
	"errors"
	"runtime"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/digest"
	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// enforced is the first line of the report: what was read back of the server that waits, and what this system lacks.
func (s *shim) enforced() (*order.Enforced, error) {
	proved, err := s.server.evidence()
	if err != nil {
		return nil, err
	}
	proved[order.Descriptors].Facts = append(proved[order.Descriptors].Facts, s.private.facts()...)
	e := &order.Enforced{Event: "enforced", Version: 1, Level: string(s.policy.Level), Confinement: string(policy.ConfinementLimits),
		MinConfinement: string(s.policy.MinConfinement), PolicySHA256: digest.Hex(s.Order.Policy), Command: s.Order.Command,
		PID: s.server.pid, Kernel: kernel(), EnvDropped: s.Order.Dropped, Layers: layers(proved, &s.policy, runtime.GOOS)}
	if keys := unheld(&s.policy, runtime.GOOS); len(keys) > 0 {
		e.Warnings = append(e.Warnings, "nothing holds "+strings.Join(keys, ", ")+" here: minConfinement limits was written out")
	}
	e.Warnings = append(e.Warnings, "confinement limits is no barrier: the server reads, writes and reaches what you can; for more run it in a "+
		elsewhere(runtime.GOOS))
	for i := range e.Layers {
		if bad := mismatch(&e.Layers[i]); bad != nil {
			return nil, bad
		}
	}
	return e, nil
}

// elsewhere is where full confinement can be had.
func elsewhere(system string) string {
	if system == "windows" {
		return "Linux container or WSL2"
	}
	return "Linux container or virtual machine"
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

// errSignalled is a launch that was asked to end before the server was released.
type errSignalled struct{ signal syscall.Signal }

func (e errSignalled) Error() string {
	return "ended by " + signalName(e.signal) + " before the server was released"
}

// refuse tells why no server runs, and returns the exit code.
func (s *shim) refuse(err error) int { return Refuse(s.Config, err) }

// Refuse writes the one line of a refused launch, to the report and to standard error, and returns the exit code.
func Refuse(c Config, err error) int {
	r := &order.Refused{Event: "refused", Layer: order.Exec, Op: "start", Error: err.Error(), Hint: hint(err)}
	code := ending.ExitSandbox
	var refusal *order.Refusal
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
	out := sink{report: c.Order.ReportFD, host: c.Host}
	out.last(r)
	text := err.Error()
	if r.Hint != "" {
		text += " (" + r.Hint + ")"
	}
	c.Say(text)
	return code
}

// RefuseEarly writes the one line of a launch that came to nothing before there was an order. Whoever calls it has said
// on standard error why.
func RefuseEarly(report int, why string) {
	out := sink{report: report, host: -1}
	out.last(&order.Refused{Event: "refused", Layer: order.Policy, Op: "read", Error: why})
}

// hint is what to do about a refusal, where there is something to do.
func hint(err error) string {
	var r *order.Refusal
	if !errors.As(err, &r) || r.Layer != order.Policy {
		return ""
	}
	switch {
	case strings.HasPrefix(r.Op, "reach "):
		return "run it in a " + elsewhere(runtime.GOOS) + ", or set minConfinement to limits"
	case r.Op == "hold":
		return "run it in a " + elsewhere(runtime.GOOS) + ", or write out minConfinement limits to start it without"
	}
	return ""
}
