//go:build !linux

package testbed

// Machines returns: only Linux has what could be taken away.
func Machines() {}
