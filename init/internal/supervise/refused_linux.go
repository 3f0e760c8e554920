package supervise

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// refusedView tells what the view was refused for: the policy's key and its path, or the command.
func refusedView(err error) error {
	var refusal *order.Refusal
	var command *fsview.CommandError
	var path *os.PathError
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.As(err, &command):
		return &order.Refusal{Layer: order.Exec, Op: "start", Path: command.Path, Err: unnamed{command}}
	case errors.As(err, &path):
		return &order.Refusal{Layer: order.Policy, Op: path.Op, Path: path.Path, Err: path.Err}
	}
	return &order.Refusal{Layer: order.Policy, Op: "plan", Err: err}
}

// unnamed is why a command cannot be started, without its name, which the refusal has already.
type unnamed struct{ *fsview.CommandError }

func (u unnamed) Error() string {
	if u.Err != nil {
		return string(u.Kind) + ": " + u.Err.Error()
	}
	return string(u.Kind)
}

// Unwrap adds what execve(2) would have said of a command that is not there: errno crosses to the host, kinds do not.
func (u unnamed) Unwrap() []error {
	if u.Kind == fsview.ErrNotFound && u.Err == nil {
		return []error{u.Kind, unix.ENOENT}
	}
	return u.CommandError.Unwrap()
}

// allRefused is the refusal of the strongest confinement, with those of the others behind it.
func (s *shim) allRefused(next policy.Confinement) error {
	r := *s.refused[0]
	all := refusals{first: r.Err, next: next, hints: s.hints()}
	last := r.Error()
	for _, also := range s.refused[1:] {
		if text := also.Error(); text != last { // where the same step is refused in each, once is enough
			all.rest, last = append(all.rest, also), text
		}
	}
	r.Err = all
	return &r
}

// refusals are why no confinement was reached that may start the server.
type refusals struct {
	first error
	rest  []*order.Refusal
	hints string
	next  policy.Confinement // which would be tried if it might
}

func (r refusals) Error() string {
	text := r.first.Error()
	for _, also := range r.rest {
		text += "; and with less confinement " + also.Error()
	}
	return text
}

func (r refusals) Unwrap() error { return r.first }
