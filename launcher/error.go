package launcher

import (
	"errors"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// An Error is a launch that was refused. The server has not run. Its Layer is the one that could not be proved, or
// [order.Policy] or [order.Exec].
type Error = order.Refusal

// remote is the text of an error in the shim together with its number, which survives the way.
type remote struct {
	text  string
	errno syscall.Errno
}

func (r remote) Error() string { return r.text }

func (r remote) Unwrap() error { return r.errno }

// refused is the error of a record.
func refused(r *order.Refused) error {
	e := &Error{Layer: r.Layer, Op: r.Op, Path: r.Path, Hint: r.Hint, Err: errors.New(r.Error)}
	if r.Errno != 0 {
		e.Err = remote{r.Error, syscall.Errno(r.Errno)}
	}
	return e
}
