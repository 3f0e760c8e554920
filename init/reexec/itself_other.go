//go:build !linux

package reexec

import "os"

// itself is the path of this process's program.
func itself() (string, error) { return os.Executable() }
