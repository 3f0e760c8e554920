package main

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// here is what this machine says of itself.
func here() (*matrix.Observed, error) {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return nil, os.NewSyscallError("uname", err)
	}
	abi, err := platform.LandlockABI()
	if err != nil {
		return nil, err
	}
	return &matrix.Observed{Kernel: unix.ByteSliceToString(u.Release[:]), LandlockABI: abi}, nil
}
