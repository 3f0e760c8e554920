//go:build !linux

package attempt

import (
	"errors"
	"syscall"
)

// A Descriptor is known on Linux only.
type Descriptor struct{}

// systemActions is empty here: each of its actions is a Linux system call, and a name that is not known is refused.
func systemActions() map[string]action { return nil }

func bombActions() map[string]action { return nil }

// errnoName has no table of names here; the number's own text is in the detail.
func errnoName(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return ""
}
