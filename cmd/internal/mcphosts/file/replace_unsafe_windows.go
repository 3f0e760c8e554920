package file

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// replaceFile puts a file in the place of another, whose attributes and access control list stay and which is called
// spare from then on.
func replaceFile(file, by, spare string) error {
	var names [3]*uint16
	for i, name := range []string{file, by, spare} {
		var err error
		if names[i], err = windows.UTF16PtrFromString(name); err != nil {
			return err
		}
	}
	call := windows.NewLazySystemDLL("kernel32.dll").NewProc("ReplaceFileW")
	done, _, err := call.Call(uintptr(unsafe.Pointer(names[0])), uintptr(unsafe.Pointer(names[1])),
		uintptr(unsafe.Pointer(names[2])), 0, 0, 0)
	if done == 0 {
		return err
	}
	return nil
}
