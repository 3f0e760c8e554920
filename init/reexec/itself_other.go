//go:build !linux

package reexec

import "os"

// itself is this process's own program, as the system knows it.
func itself() (string, error) { return os.Executable() }
