package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// LandlockABI asks the kernel for its version of Landlock, landlock(7); 0 where there is none to be had, and NoLandlock
// tells why.
func LandlockABI() (int, error) {
	switch abi, e := landlockVersion(); e {
	case 0, unix.ENOSYS, unix.EOPNOTSUPP, unix.EPERM, unix.EACCES:
		return abi, nil
	default:
		return 0, os.NewSyscallError("landlock_create_ruleset", e)
	}
}

// NoLandlock is why there is none: ENOSYS where the kernel was built without it or a filter hides it, EOPNOTSUPP where
// it was not started at boot, EPERM or EACCES where a filter refuses it; 0 if there is one.
func NoLandlock() unix.Errno {
	_, e := landlockVersion()
	return e
}

func landlockVersion() (int, unix.Errno) {
	v, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if e != 0 {
		return 0, e
	}
	return int(v), 0
}
