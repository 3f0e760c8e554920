package platform

// This file: capabilities(7) and credentials(7) of this process and of a peer.

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Capabilities are the sets of the calling thread, by number from bit 0 on; capabilities(7).
type Capabilities struct {
	Effective, Permitted, Inheritable, Bounding uint64

	Last int // the highest number this kernel knows
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
	for n := range 64 {
		in, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(n), 0, 0, 0)
		if err != nil {
			break
		}
		c.Last = n
		if in == 1 {
			c.Bounding |= 1 << n
		}
	}
	return c, nil
}

const atSecure = 23 // getauxval(3)

// errPrivileged is a program that runs with more rights than its caller.
var errPrivileged = errors.New("the program runs with its file's rights and not its caller's " +
	"(set-user-ID, set-group-ID or file capabilities, or a security module's rule): take them off the file")

// Unprivileged is an error if the kernel marked this program's start as one that gained rights, or if real and
// effective ids differ.
func Unprivileged() error {
	if unix.Getuid() != unix.Geteuid() || unix.Getgid() != unix.Getegid() {
		return errPrivileged
	}
	auxv, err := unix.Auxv()
	if err != nil {
		return err
	}
	if slices.Contains(auxv, [2]uintptr{atSecure, 0}) {
		return nil
	}
	return errPrivileged
}

// PeerIs reports whether fd is a SOCK_SEQPACKET socket whose other end was made by process pid of this very user.
// unix(7), SO_PEERCRED.
func PeerIs(fd, pid int) error {
	kind, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil {
		return os.NewSyscallError("getsockopt SO_TYPE", err)
	}
	if kind != unix.SOCK_SEQPACKET {
		return errors.New("socket: not of type SOCK_SEQPACKET")
	}
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return os.NewSyscallError("getsockopt SO_PEERCRED", err)
	}
	if int(c.Pid) != pid || int(c.Uid) != unix.Getuid() {
		return errors.New("socket: its other end is not the parent process of the same user")
	}
	return nil
}
