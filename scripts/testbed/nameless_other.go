//go:build !linux

package testbed

// Nameless does nothing: HOME counts here.
func Nameless() {}
