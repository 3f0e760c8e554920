//go:build unix

package reexec

import "syscall"

// ofItsOwn makes a session of the process's own: no signal to a group or from a terminal reaches it.
func ofItsOwn() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
