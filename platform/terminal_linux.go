package platform

// This file: isatty(3) and which terminal a descriptor is.

import "golang.org/x/sys/unix"

// sameTerminal compares the devices that two terminals have, whatever name each was opened by: /dev/tty has a
// number of its own. Where the kernel does not tell they count as one.
func sameTerminal(a, b int) bool {
	x, err1 := unix.IoctlGetInt(a, unix.TIOCGDEV)
	y, err2 := unix.IoctlGetInt(b, unix.TIOCGDEV)
	return err1 != nil || err2 != nil || x == y
}

// ShowsColour reports whether a descriptor is a terminal, which understands ECMA-48.
func ShowsColour(fd uintptr) bool {
	_, err := unix.IoctlGetTermios(int(fd), unix.TCGETS)
	return err == nil
}
