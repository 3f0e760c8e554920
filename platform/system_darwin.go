package platform

// This file: descriptors and terminals.

import "golang.org/x/sys/unix"

// oPath does not exist here.
const oPath = 0

// FileOf knows no path here. The callers protect files by a barrier, and no confinement of this system has
// one.
func FileOf(int) string { return "" }

// WriteNow writes to a socket without waiting, and to all else what poll(2) said there is room for. Should another
// writer fill it in between, it waits.
func WriteNow(fd int, b []byte) (int, error) {
	n, err := unix.SendmsgN(fd, b, nil, nil, unix.MSG_DONTWAIT)
	if err == unix.ENOTSOCK {
		return unix.Write(fd, b)
	}
	return n, err
}

// sameTerminal cannot tell which terminal /dev/tty is: any two count as one.
func sameTerminal(int, int) bool { return true }

// ShowsColour reports whether a descriptor is a terminal, which understands ECMA-48.
func ShowsColour(fd uintptr) bool {
	_, err := unix.IoctlGetTermios(int(fd), unix.TIOCGETA)
	return err == nil
}
