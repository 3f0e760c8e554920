package platform

// This file: the memory of another process. Both ways ask for the rights of ptrace(2), PTRACE_MODE_ATTACH.

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ReadMemory fills b from an address of a thread's process, by process_vm_readv(2), or by proc_pid_mem(5) where a
// filter around this process refuses that call. EFAULT: not all of it is mapped there.
func ReadMemory(thread int, address uint64, b []byte) error {
	return readMemory(thread, address, b, unix.ProcessVMReadv)
}

type vmCall func(pid int, local []unix.Iovec, remote []unix.RemoteIovec, flags uint) (int, error)

func readMemory(thread int, address uint64, b []byte, read vmCall) error {
	if len(b) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	n, err := read(thread, local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(b)}}, 0)
	if err == unix.EPERM || err == unix.ENOSYS {
		readAt := func(f *os.File) (int, error) { return f.ReadAt(b, int64(address)) }
		return atMemory(thread, os.O_RDONLY, readAt, len(b))
	}
	if err == nil && n != len(b) {
		err = unix.EFAULT
	}
	return err
}

// WriteMemory writes b to an address of a thread's process, if still is true once that process's memory is held: the
// thread's id may be another's by the time of a call by id. The file is held, so that what is true then stays true.
func WriteMemory(thread int, address uint64, b []byte, still func() bool) error {
	if len(b) == 0 {
		return nil
	}
	return atMemory(thread, os.O_WRONLY, func(f *os.File) (int, error) {
		if !still() {
			return 0, unix.ESRCH
		}
		return f.WriteAt(b, int64(address))
	}, len(b))
}

// atMemory opens the memory of a thread's process for a function that moves so many bytes.
func atMemory(thread, flags int, move func(*os.File) (int, error), size int) error {
	f, err := os.OpenFile("/proc/"+strconv.Itoa(thread)+"/mem", flags, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := move(f)
	switch {
	case err == unix.ESRCH:
		return err
	case n != size: // EIO where nothing is mapped
		return unix.EFAULT
	}
	return nil
}
