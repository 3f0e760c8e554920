package platform

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Polled calls ready in a goroutine of its own whenever something can be read from a descriptor, and at once, until
// ready is done or the file is closed; no thread waits meanwhile. The descriptor is the file's, and closed in an error.
func Polled(fd int, name string, ready func() (done bool)) (*os.File, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, os.NewSyscallError("fcntl F_SETFL", err)
	}
	file := os.NewFile(uintptr(fd), name)
	conn, err := file.SyscallConn()
	if err == nil {
		err = file.SetReadDeadline(time.Time{}) // an error where the netpoller has refused the descriptor
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	go func() {
		defer file.Close()
		_ = conn.Read(func(uintptr) bool { return ready() })
	}()
	return file, nil
}
