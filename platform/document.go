package platform

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
