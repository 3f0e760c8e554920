package platform

import (
	"os"

	"golang.org/x/sys/unix"
)

// Capabilities are the sets of the calling thread, by number from bit 0 on; capabilities(7).
type Capabilities struct {
	Effective, Permitted, Inheritable, Bounding uint64
}

// Has reports whether a set has a capability.
func Has(set uint64, number int) bool { return set&(1<<number) != 0 }

// ReadCapabilities asks the kernel for them.
func ReadCapabilities() (c Capabilities, err error) {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&head, &data[0]); err != nil {
		return c, os.NewSyscallError("capget", err)
	}
	c.Effective = uint64(data[1].Effective)<<32 | uint64(data[0].Effective)
	c.Permitted = uint64(data[1].Permitted)<<32 | uint64(data[0].Permitted)
	c.Inheritable = uint64(data[1].Inheritable)<<32 | uint64(data[0].Inheritable)
	for n := 0; n < 64; n++ {
		in, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(n), 0, 0, 0)
		if err != nil {
			break
		}
		if in == 1 {
			c.Bounding |= 1 << n
		}
	}
	return c, nil
}
