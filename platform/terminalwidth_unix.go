//go:build unix

package platform

import "golang.org/x/sys/unix"

// TerminalWidth is the width of a terminal; 0 for anything else.
func TerminalWidth(fd uintptr) int {
	size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
