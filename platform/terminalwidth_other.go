//go:build !unix && !windows

package platform

// TerminalWidth is 0: no terminal is known here.
func TerminalWidth(uintptr) int { return 0 }
