package launcher

import (
	"os"

	"golang.org/x/sys/unix"
)

// Follow shuts the socket down once the shim has ended. Earlier records are read first. The shim is not reaped
// yet, so the pid is not reused.
func (s socket) Follow(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // then the end of the shim's end of the socket is all there is
	}
	s.follow(fd)
}

// follow is Follow of a pidfd, which it owns.
func (s socket) follow(fd int) {
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return
	}
	shim := os.NewFile(uintptr(fd), "shim")
	conn, err := shim.SyscallConn()
	if err != nil {
		shim.Close()
		return
	}
	go func() {
		defer shim.Close()
		defer func() { _ = recover() }() // the end of the shim's end of the socket tells as much
		err := conn.Read(func(fd uintptr) bool {
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(fds, 0)
			return n > 0 && err == nil
		})
		if err == nil {
			s.shutdown(unix.SHUT_RDWR)
		}
	}()
}
