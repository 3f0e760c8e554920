//go:build darwin || linux

package platform

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// SignalName is a signal's name, "SIGTERM".
func SignalName(s syscall.Signal) string { return unix.SignalName(s) }
