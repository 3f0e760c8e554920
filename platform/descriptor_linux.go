package platform

// This file: the file or the terminal behind a descriptor.

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// oPath is a descriptor that is a place and no open file.
const oPath = unix.O_PATH

// FileOf is the path of the regular file behind a descriptor, and "" if there is something else or the file is deleted.
func FileOf(fd int) string {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink == 0 {
		return ""
	}
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlink("/proc/self/fd/"+strconv.Itoa(fd), b)
	if err != nil || n == 0 || n == len(b) || b[0] != '/' {
		return ""
	}
	return string(b[:n])
}

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
