package launcher

import (
	"errors"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// An Error is a launch that was refused. The server has not run.
type Error struct {
	Layer order.Layer // the layer that could not be proved, or order.Policy or order.Exec
	Op    string      // what was tried
	Path  string      // on what; may be empty
	Err   error       // what the kernel said: errors.Is finds an errno in it
	Hint  string      // what to do about it; may be empty
}

func (e *Error) Error() string {
	return (&order.Refusal{Layer: e.Layer, Op: e.Op, Path: e.Path, Err: e.Err}).Error()
}

func (e *Error) Unwrap() error { return e.Err }

// remote is the text of an error in the shim together with its number, which survives the way.
type remote struct {
	text  string
	errno syscall.Errno
}

func (r remote) Error() string { return r.text }

func (r remote) Unwrap() error { return r.errno }

func refused(r *order.Refused) error {
	e := &Error{Layer: r.Layer, Op: r.Op, Path: r.Path, Hint: r.Hint, Err: errors.New(r.Error)}
	if r.Errno != 0 {
		e.Err = remote{r.Error, syscall.Errno(r.Errno)}
	}
	return e
}
