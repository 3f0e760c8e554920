package reexec

import "syscall"

// detached starts a process in a new group without a console: no Ctrl event reaches the process.
func detached() *syscall.SysProcAttr {
	const noConsole = 0x8 // DETACHED_PROCESS
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | noConsole}
}
