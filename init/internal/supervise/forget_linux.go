package supervise

import "golang.org/x/sys/unix"

// forget gives back what an attempt without namespaces held.
func (s *shim) forget() {
	s.private.remove(within(forEmpty, s.asks))
	if s.image >= 0 {
		unix.Close(s.image)
		s.image = -1
	}
}
