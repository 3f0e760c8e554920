package limitsonly

import (
	"os"

	"golang.org/x/sys/windows"
)

func usable(f *os.File) error {
	h := windows.Handle(f.Fd())
	switch kind, err := windows.GetFileType(h); {
	case kind == windows.FILE_TYPE_PIPE, kind == windows.FILE_TYPE_CHAR:
		return nil
	case kind != windows.FILE_TYPE_DISK || err != nil:
		return errStreamClosed
	}
	var info windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(h, &info)
	if err == nil && info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0 {
		return errStreamKind
	}
	return nil
}
