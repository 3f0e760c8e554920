//go:build unix

package reexec

import "syscall"

// detached starts a process in a new session: no signal to a group or from a terminal reaches the process.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
