package egress

import "golang.org/x/sys/unix"

// A spare is a descriptor that is held for the moment when no other can be had: a connection that cannot be accepted
// would keep its listener ready, and the loop busy, for as long as it waits. The zero spare holds none.
type spare struct{ fd int } // 0: none

func (s *spare) open() {
	if fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
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
