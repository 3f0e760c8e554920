package platform

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AdoptOrphans makes this process the parent of every descendant that loses its own; pr_set_child_subreaper(2const).
func AdoptOrphans() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl PR_SET_CHILD_SUBREAPER", err)
	}
	if !AdoptsOrphans() {
		return os.NewSyscallError("prctl PR_GET_CHILD_SUBREAPER", unix.EPERM)
	}
	return nil
}

// AdoptsOrphans reports whether this process does so. It stays so through execve, and no child inherits it.
func AdoptsOrphans() bool {
	var is int32
	err := unix.Prctl(unix.PR_GET_CHILD_SUBREAPER, uintptr(unsafe.Pointer(&is)), 0, 0, 0)
	return err == nil && is == 1
}
