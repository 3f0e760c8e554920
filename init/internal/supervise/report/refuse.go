package report

import (
	"errors"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// Signalled is a launch that was asked to end before the server was released.
type Signalled struct{ Signal syscall.Signal }

func (e Signalled) Error() string {
	return "ended by " + platform.SignalName(e.Signal) + " before the server was released"
}

// ErrHostGone is the error of a launch after the end of its host, before the server was released.
var ErrHostGone = errors.New("the host ended, or closed its sandbox, before the server was released")

// Refuse writes the one line of a refused launch to the report. The line for people and the exit code are the results.
func (s *Sink) Refuse(o *order.Order, err error, r *order.Refused) (line string, code int) {
	s.Last(r)
	return text(o, err, r.Hint), exitCode(err)
}

func text(o *order.Order, err error, hint string) string {
	if hint == "" {
		return o.Line(err)
	}
	return o.Line(err) + " (" + hint + ")"
}

// A Foreseen is the error of a launch that is only planned: [Sink.Refuse] would say the same line.
type Foreseen struct {
	error
	line string
}

// Foresee is the error of a plan, with the hint, in the words of the order's user.
func Foresee(o *order.Order, err error, hint string) error {
	return Foreseen{err, text(o, err, hint)}
}

func (f Foreseen) Error() string { return f.line }

// Unwrap is the error as the launch has it.
func (f Foreseen) Unwrap() error { return f.error }

func exitCode(err error) int {
	var signalled Signalled
	switch {
	case errors.Is(err, fsview.ErrNotFound):
		return ending.ExitMissing
	case errors.Is(err, fsview.ErrNotExecutable):
		return ending.ExitCannot
	case errors.As(err, &signalled):
		return ending.ExitSignal + int(signalled.Signal)
	}
	return ending.ExitSandbox
}

// RefuseEarly writes the one line of a launch that was refused before there was an order, to the descriptor if that is
// not negative, or else, if keep is set, to a report of its own. The caller has written the reason to standard error.
func RefuseEarly(fd int, keep bool, why string) {
	s := Sink{Report: fd, Host: -1}
	r := &order.Refused{Event: "refused", Layer: order.Policy, Op: "read", Error: why}
	s.Last(r)
	if keep {
		s.KeepOnly(r)
	}
}
