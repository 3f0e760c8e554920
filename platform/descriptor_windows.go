package platform

// This file: handles as descriptors, consoles, and the names of signals.

import (
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"
)

// own marks the number of a handle that this process opened itself: a descriptor's number is never that large, and a
// handle's value uses 32 bits.
const own = 1 << 40

// Handle is the handle behind a descriptor's number: descriptor fd of the C runtime if this process was handed one, as
// Node.js and MSVC do, else the standard handle or the handle of that value.
func Handle(fd int) windows.Handle {
	if fd&own != 0 {
		return windows.Handle(fd &^ own)
	}
	if all := inherited(); fd >= 0 && fd < len(all) && all[fd] != 0 {
		return windows.Handle(all[fd])
	}
	switch fd {
	case 0, 1, 2:
		// STD_INPUT_HANDLE is -10, and so on
		h, err := windows.GetStdHandle(uint32(-10 - fd))
		if err != nil {
			return windows.InvalidHandle
		}
		return h
	}
	return windows.Handle(fd)
}

// Descriptor is the number by which this package knows a handle of this process.
func Descriptor(h windows.Handle) int { return own | int(h) }

// Inherited is an error unless the caller of this program handed fd over, for reading or for writing. A handle of this
// process's own is never inheritable, and one that it inherited always is.
func Inherited(fd int, write bool) error {
	h := Handle(fd)
	if kind, err := windows.GetFileType(h); err != nil || kind == windows.FILE_TYPE_UNKNOWN {
		return ErrClosed
	}
	if given, err := inherits(h); err != nil || !given {
		return ErrNotInherited
	}
	mask, err := access(h)
	if err != nil {
		return err
	}
	switch {
	case write && mask&(windows.FILE_WRITE_DATA|windows.FILE_APPEND_DATA) == 0:
		return ErrNotWritable
	case !write && mask&windows.FILE_READ_DATA == 0:
		return ErrNotReadable
	}
	return nil
}

// SignalName is the name of a signal, "SIGTERM". Those that Go makes of what the system tells are all there are.
func SignalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGKILL:
		return "SIGKILL"
	}
	return "signal " + strconv.Itoa(int(s))
}

// ShowsColour reports whether a handle is a console that understands ECMA-48.
func ShowsColour(fd uintptr) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(fd), &mode) == nil &&
		mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0
}
