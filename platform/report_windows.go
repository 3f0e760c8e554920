package platform

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// ReportFD is an error unless the caller of this program handed fd over for a report: to write to, and no second way
// to what the server is handed as standard input, output or error. The server writes to these, and could forge what
// is reported.
func ReportFD(fd int) error {
	if err := Inherited(fd, true); err != nil {
		return err
	}
	return notStandard(Handle(fd))
}

// notStandard compares a handle with the server's.
func notStandard(h windows.Handle) error {
	for std := range standardNames {
		if isSame(h, Handle(std)) {
			return sharedError(std)
		}
	}
	return nil
}

// isSame reports whether what is written to one of two handles comes out where what is written to the other does: the
// same file on a disk, a console (a process has one), or the same object.
func isSame(a, b windows.Handle) bool {
	x, err1 := windows.GetFileType(a)
	y, err2 := windows.GetFileType(b)
	switch {
	case err1 != nil || err2 != nil || x != y:
		return false
	case x == windows.FILE_TYPE_DISK:
		var own, other windows.ByHandleFileInformation
		return windows.GetFileInformationByHandle(a, &own) == nil &&
			windows.GetFileInformationByHandle(b, &other) == nil &&
			own.VolumeSerialNumber == other.VolumeSerialNumber &&
			own.FileIndexHigh == other.FileIndexHigh && own.FileIndexLow == other.FileIndexLow
	case x == windows.FILE_TYPE_CHAR:
		var mode uint32 // NUL has none
		return windows.GetConsoleMode(a, &mode) == nil && windows.GetConsoleMode(b, &mode) == nil
	}
	return a == b || sameObject(a, b)
}

// sameObject compares what two handles are of; CompareObjectHandles, Windows 10. Where that is missing nothing is
// known.
func sameObject(a, b windows.Handle) bool {
	compare := windows.NewLazySystemDLL("kernelbase.dll").NewProc("CompareObjectHandles")
	if compare.Find() != nil {
		return false
	}
	same, _, _ := compare.Call(uintptr(a), uintptr(b))
	return same != 0
}

// CreateReport opens a file for the lines of a report: new, or emptied. A link is refused, not followed. The folder
// determines the readers. A file that is the server's standard input, output or error is refused, and left
// unchanged.
func CreateReport(path string) (int, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	h, err := windows.CreateFile(name, windows.GENERIC_WRITE, windows.FILE_SHARE_READ|windows.FILE_SHARE_DELETE, nil,
		windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_OPEN_REPARSE_POINT, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	var info windows.ByHandleFileInformation
	err = windows.GetFileInformationByHandle(h, &info)
	if err == nil && info.FileAttributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 {
		err = errors.New("is a link")
	}
	if err == nil {
		err = notStandard(h)
	}
	if err == nil {
		err = windows.SetEndOfFile(h)
	}
	if err != nil {
		windows.CloseHandle(h)
		return -1, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return Descriptor(h), nil
}
