package platform

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// startupInfo is STARTUPINFOW with the two fields that x/sys leaves out.
type startupInfo struct {
	cb, _                 uint32
	_, _, _               uintptr
	x, y, w, h            uint32
	columns, rows         uint32
	fill, flags           uint32
	show, reservedLen     uint16
	reserved              *byte
	stdin, stdout, stderr windows.Handle
}

// inherited is what this process was handed by lpReserved2.
func inherited() []uint64 {
	var si startupInfo
	if windows.GetStartupInfo((*windows.StartupInfo)(unsafe.Pointer(&si))) != nil || si.reserved == nil {
		return nil
	}
	return CRTHandles(unsafe.Slice(si.reserved, si.reservedLen))
}

// access is what a handle was opened for: FILE_READ_DATA and the like. NtQueryObject, ObjectBasicInformation.
func access(h windows.Handle) (mask uint32, err error) {
	var info struct {
		attributes, access, handles, pointers uint32
		_                                     [40]byte
	}
	query := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtQueryObject")
	if err := query.Find(); err != nil {
		return 0, err
	}
	status, _, _ := query.Call(uintptr(h), 0, uintptr(unsafe.Pointer(&info)), unsafe.Sizeof(info), 0)
	if status != 0 {
		return 0, windows.NTStatus(status)
	}
	return info.access, nil
}

// inherits reports whether children of this process may get a handle, as those that it got itself have it.
func inherits(h windows.Handle) (bool, error) {
	var flags uint32
	get := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetHandleInformation")
	if err := get.Find(); err != nil {
		return false, err
	}
	if ok, _, err := get.Call(uintptr(h), uintptr(unsafe.Pointer(&flags))); ok == 0 {
		return false, err
	}
	return flags&windows.HANDLE_FLAG_INHERIT != 0, nil
}
