package sock

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A Spare is a descriptor that is held for the moment when no other can be had. The zero Spare holds none.
type Spare struct{ fd int } // 0: none

// Open has a descriptor held, if one can be had.
func (s *Spare) Open() {
	if s.Held() {
		return
	}
	if fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		s.fd = fd
	}
}

// Held reports whether there is one.
func (s *Spare) Held() bool { return s.fd > 0 }

// With calls a function that makes a descriptor: where none can be had, once more with the spare one closed.
func (s *Spare) With(f func() error) error {
	err := f()
	if Scarce(err) {
		s.Close()
		err = f()
		s.Open()
	}
	return err
}

// Close gives up the descriptor.
func (s *Spare) Close() {
	if s.Held() {
		unix.Close(s.fd)
		s.fd = 0
	}
}

// Scarce reports whether an error is that there is no descriptor: of this process's own (EMFILE), or in all (ENFILE).
func Scarce(err error) bool { return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) }
