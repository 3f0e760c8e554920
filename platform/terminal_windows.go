package platform

import "golang.org/x/sys/windows"

// ShowsColour reports whether a handle is a console that understands ECMA-48.
func ShowsColour(fd uintptr) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(fd), &mode) == nil &&
		mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0
}
