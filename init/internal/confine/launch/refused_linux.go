package launch

import (
	"errors"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// refusedView adds the cause to the refusal of a view: the policy's key and its path, or the command.
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
	if u.Kind == fsview.ErrNotFound && u.Err == nil && strings.Contains(u.Path, "/") {
		return "no such file" // a path was looked for, and no command
	}
	if inner := (*fsview.CommandError)(nil); errors.As(u.Err, &inner) {
		return string(fsview.ErrNotExecutable) + ": its first line asks for " + inner.Path + ": " +
			unnamed{inner}.Error()
	}
	if u.Err != nil {
		return string(u.Kind) + ": " + u.Err.Error()
	}
	return string(u.Kind)
}

// Unwrap adds the errno of execve(2) for a command that is not there: errno crosses to the host, kinds do not.
func (u unnamed) Unwrap() []error {
	if u.Kind == fsview.ErrNotFound && u.Err == nil {
		return []error{u.Kind, unix.ENOENT}
	}
	return u.CommandError.Unwrap()
}
