package escape_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// posix makes shared memory and a queue of one name.
func posix(t *testing.T) string {
	t.Helper()
	f, err := os.CreateTemp("/dev/shm", "mcp-sandbox-escape-")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(f.Name())
	t.Cleanup(func() { os.Remove(f.Name()) })
	if err := f.Chmod(0o666); err != nil {
		t.Fatal(err)
	}
	f.Close()
	path, err := unix.BytePtrFromString(name)
	if err != nil {
		t.Fatal(err)
	}
	fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(path)), unix.O_CREAT|unix.O_EXCL|unix.O_RDWR, 0o666, 0, 0, 0)
	if errno != 0 {
		t.Fatal("mq_open: ", errno)
	}
	unix.Close(int(fd))
	t.Cleanup(func() { unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(path)), 0, 0) })
	return name
}

// install loads a seccomp filter for every thread.
func install(filter []unix.SockFilter) error {
	runtime.LockOSThread() // no_new_privs is the thread's
	defer runtime.UnlockOSThread()
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}
