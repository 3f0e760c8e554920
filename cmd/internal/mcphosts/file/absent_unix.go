//go:build darwin || linux

package file

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// absent reports whether nothing is there.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ENOTDIR) }
