//go:build !windows

package main

import (
	"os/exec"
	"syscall"
)

// group gives a step's processes a group of their own.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end asks the group of a step's processes to end, or kills it.
func end(cmd *exec.Cmd, kill bool) error {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	return syscall.Kill(-cmd.Process.Pid, signal)
}
