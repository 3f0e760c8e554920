package platform

import "golang.org/x/sys/unix"

// WriteNow writes to a socket without waiting, and to all else what poll(2) said there is room for. Should another
// writer fill it in between, it waits.
func WriteNow(fd int, b []byte) (int, error) {
	n, err := unix.SendmsgN(fd, b, nil, nil, unix.MSG_DONTWAIT)
	if err == unix.ENOTSOCK {
		return unix.Write(fd, b)
	}
	return n, err
}
