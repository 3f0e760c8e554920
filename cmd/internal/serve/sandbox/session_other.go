//go:build !linux

package sandbox

import "os/exec"

// ownSession does nothing: serve refuses to start on these systems.
func ownSession(*exec.Cmd) {}
