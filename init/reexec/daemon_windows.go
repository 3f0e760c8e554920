package reexec

import "syscall"

// ofItsOwn makes a group of the process's own, without a console: no Ctrl event reaches it.
func ofItsOwn() *syscall.SysProcAttr {
	const detached = 0x8 // DETACHED_PROCESS
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detached}
}
