package platform

import "golang.org/x/sys/unix"

// ShowsColour reports whether a descriptor is a terminal, which understands ECMA-48.
func ShowsColour(fd uintptr) bool {
	_, err := unix.IoctlGetTermios(int(fd), unix.TCGETS)
	return err == nil
}
