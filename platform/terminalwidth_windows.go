package platform

import "golang.org/x/sys/windows"

// TerminalWidth is the width of a console; 0 for anything else.
func TerminalWidth(fd uintptr) int {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(fd), &info) != nil {
		return 0
	}
	return int(info.Window.Right) - int(info.Window.Left) + 1
}
