// Package platform is what this machine can do: thin wrappers of system calls and small questions to the kernel.
//
//	abi, err := platform.LandlockABI()
//	mounts, err := platform.ParseMountinfo(b)
//
// One file a subject, and one more for each operating system that needs its own. A wrapper makes its call, retries on
// EINTR where the call can be interrupted, and returns an *os.SyscallError or *os.PathError, without a decision. Where
// an operating system lacks a thing the answer is errors.ErrUnsupported, never success.
package platform
