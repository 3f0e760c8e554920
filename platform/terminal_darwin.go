package platform

import "golang.org/x/sys/unix"

// sameTerminal cannot tell which terminal /dev/tty is: any two count as one.
func sameTerminal(int, int) bool { return true }

// ShowsColour reports whether a descriptor is a terminal, which understands ECMA-48.
func ShowsColour(fd uintptr) bool {
	_, err := unix.IoctlGetTermios(int(fd), unix.TIOCGETA)
	return err == nil
}
