package egress

import "golang.org/x/sys/unix"

// A spare is a descriptor that is held for the moment when no other can be had: a connection that cannot be accepted
// would keep its listener ready, and the loop busy, for as long as it waits. The zero spare holds none.
type spare struct {
	fd int // 0: none
	of int // a descriptor of the engine's own, of which the spare is a duplicate: that is quicker than to open a file
}

func (s *spare) open() {
	if fd, err := unix.FcntlInt(uintptr(s.of), unix.F_DUPFD_CLOEXEC, 0); err == nil {
		s.fd = fd
	}
}

// refuse resets one connection that waits at a listener.
func (s *spare) refuse(listener int) {
	s.close()
	if fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC); err == nil {
		reset(fd)
	}
	s.open()
}

func (s *spare) close() {
	if s.fd > 0 {
		unix.Close(s.fd)
		s.fd = 0
	}
}
