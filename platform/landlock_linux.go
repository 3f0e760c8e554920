package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// LandlockABI asks the kernel for its version of Landlock; 0 where it has none or it is switched off. landlock(7).
func LandlockABI() (int, error) {
	v, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch e {
	case 0:
		return int(v), nil
	case unix.ENOSYS, unix.EOPNOTSUPP:
		return 0, nil
	}
	return 0, os.NewSyscallError("landlock_create_ruleset", e)
}
