package platform

// This file: the memory of another process, by process_vm_readv(2), or by proc_pid_mem(5) where a filter around this
// process refuses that call. Both ask for the rights of ptrace(2), PTRACE_MODE_ATTACH.

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ReadMemory fills b from an address of a thread's process. EFAULT: not all of it is mapped there.
func ReadMemory(thread int, address uint64, b []byte) error {
	return moveMemory(thread, address, b, unix.ProcessVMReadv, os.O_RDONLY, (*os.File).ReadAt)
}

// WriteMemory writes b to an address of a thread's process.
func WriteMemory(thread int, address uint64, b []byte) error {
	return moveMemory(thread, address, b, unix.ProcessVMWritev, os.O_WRONLY, (*os.File).WriteAt)
}

type (
	vmCall func(pid int, local []unix.Iovec, remote []unix.RemoteIovec, flags uint) (int, error)
	atCall func(f *os.File, b []byte, offset int64) (int, error)
)

func moveMemory(thread int, address uint64, b []byte, move vmCall, open int, at atCall) error {
	if len(b) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	n, err := move(thread, local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(b)}}, 0)
	if err == unix.EPERM || err == unix.ENOSYS {
		var f *os.File
		if f, err = os.OpenFile("/proc/"+strconv.Itoa(thread)+"/mem", open, 0); err != nil {
			return err
		}
		defer f.Close()
		n, _ = at(f, b, int64(address)) // EIO where nothing is mapped
	}
	if err == nil && n != len(b) {
		err = unix.EFAULT
	}
	return err
}
