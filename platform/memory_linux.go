package platform

// This file: the memory of another process. Both ways ask for the rights of ptrace(2), PTRACE_MODE_ATTACH.

import (
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
	err := byCall(thread, address, b, read)
	if err == unix.EPERM || err == unix.ENOSYS {
		readAt := func(fd int) (int, error) { return unix.Pread(fd, b, int64(address)) }
		return atMemory(thread, unix.O_RDONLY, len(b), readAt)
	}
	return err
}

func byCall(thread int, address uint64, b []byte, move vmCall) error {
	if len(b) == 0 {
		return nil
	}
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(len(b))
	n, err := move(thread, local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(b)}}, 0)
	if err == nil && n != len(b) {
		err = unix.EFAULT
	}
	return err
}

// WriteMemory writes b to an address of a thread's process, if still is true once that process's memory is held: the
// thread's id may be another's by the time of a call by id. The file is held, so that what is true then stays true. A
// private mapping that the process itself may not write is written too (FOLL_FORCE), which harms that process alone.
// Where /proc is mounted read-only there is the call alone, process_vm_writev(2), right behind still.
func WriteMemory(thread int, address uint64, b []byte, still func() bool) error {
	if len(b) == 0 {
		return nil
	}
	err := atMemory(thread, unix.O_WRONLY, len(b), func(fd int) (int, error) {
		if !still() {
			return 0, unix.ESRCH
		}
		return unix.Pwrite(fd, b, int64(address))
	})
	if err != unix.EROFS {
		return err
	}
	if !still() {
		return unix.ESRCH
	}
	return byCall(thread, address, b, unix.ProcessVMWritev)
}

// atMemory opens the memory of a thread's process for a function that moves so many bytes.
func atMemory(thread, flags, size int, move func(fd int) (int, error)) error {
	fd, err := openRetry("/proc/"+strconv.Itoa(thread)+"/mem", flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	n, err := move(fd)
	if err == unix.EIO || err == unix.EINVAL || err == nil && n != size { // nothing is mapped there, or not all of it
		err = unix.EFAULT
	}
	return err
}
