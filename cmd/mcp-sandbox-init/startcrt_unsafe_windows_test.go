package main

import (
	"encoding/binary"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// startCRT starts a program with files as its descriptors from 0 on, in lpReserved2 of STARTUPINFO: a number, a byte of flags
// for each, a handle for each.
func startCRT(self, line string, files []*os.File) (windows.Handle, error) {
	const open, pipe = 0x01, 0x08 // FOPEN, FPIPE
	block := binary.LittleEndian.AppendUint32(nil, uint32(len(files)))
	for range files {
		block = append(block, open|pipe)
	}
	for _, f := range files {
		block = binary.LittleEndian.AppendUint64(block, uint64(f.Fd()))
	}
	var si struct {
		cb, _                 uint32
		_, _, _               uintptr
		_, _, _, _, _, _, _   uint32
		flags                 uint32
		_, length             uint16
		reserved              *byte
		stdin, stdout, stderr uintptr
	}
	si.cb, si.flags = uint32(unsafe.Sizeof(si)), windows.STARTF_USESTDHANDLES
	si.length, si.reserved = uint16(len(block)), &block[0]
	si.stdin, si.stdout, si.stderr = files[0].Fd(), files[1].Fd(), files[2].Fd()
	app, err := windows.UTF16PtrFromString(self)
	if err != nil {
		return 0, err
	}
	text, err := windows.UTF16PtrFromString(line)
	if err != nil {
		return 0, err
	}
	var pi windows.ProcessInformation
	err = windows.CreateProcess(app, text, nil, nil, true, 0, nil, nil, (*windows.StartupInfo)(unsafe.Pointer(&si)), &pi)
	if err == nil {
		windows.CloseHandle(pi.Thread)
	}
	return pi.Process, err
}
