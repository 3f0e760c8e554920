package folder

import "golang.org/x/sys/unix"

// fillRandom is getrandom(2): crypto/rand would cost each start of a server some time.
func fillRandom(b []byte) error {
	_, err := unix.Getrandom(b, 0)
	return err
}
