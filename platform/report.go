package platform

// This file: errors of a descriptor or file that is no document or report.

import "errors"

// What a descriptor or file that should hold a document can be instead.
var (
	ErrClosed       = errors.New("the descriptor is closed")
	ErrNotInherited = errors.New("the descriptor is close-on-exec: it belongs to this program, " +
		"the caller did not hand it over")
	ErrNotReadable = errors.New("the descriptor cannot be read from")
	ErrNotWritable = errors.New("the descriptor cannot be written to")
	ErrFolder      = errors.New("is a folder")
	ErrTooLong     = errors.New("is too long")
	ErrTooSlow     = errors.New("its end did not come in time")
)

// standardNames are the descriptors that a server is handed.
var standardNames = [...]string{"input", "output", "error"}

// sharedError is a report's descriptor that leads to what the server has at this number.
type sharedError int

func (std sharedError) Error() string {
	return "this is the server's standard " + standardNames[std] + ", by which the server could forge the report: " +
		"give the report a file or a pipe of its own"
}
