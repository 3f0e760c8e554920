//go:build !unix && !windows

package platform

// Columns is 0: no terminal is known here.
func Columns(uintptr) int { return 0 }
