//go:build !linux && !darwin && !windows

package platform

// ShowsColour reports false: nothing is known of this operating system's terminals.
func ShowsColour(uintptr) bool { return false }
