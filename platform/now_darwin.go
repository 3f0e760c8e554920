package platform

import "golang.org/x/sys/unix"

// WriteNow writes what poll(2) said there is room for. Should another writer fill it in between, it waits.
func WriteNow(fd int, b []byte) (int, error) { return unix.Write(fd, b) }
