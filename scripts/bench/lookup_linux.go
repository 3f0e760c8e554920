package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// lookup asks the name server for the site's address, by a socket of its own as getaddrinfo(3) does.
func (c *client) lookup() (netip.Addr, error) {
	if c.names == nil {
		return netip.Addr{}, errors.New("resolv.conf names no server")
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return netip.Addr{}, os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, c.names); err != nil {
		return netip.Addr{}, os.NewSyscallError("connect", err)
	}
	b := []byte{0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0}
	for label := range strings.SplitSeq(siteName, ".") {
		b = append(append(b, byte(len(label))), label...)
	}
	b = append(b, 0, 0, 1, 0, 1)
	if _, err := unix.Write(fd, b); err != nil {
		return netip.Addr{}, err
	}
	answer := make([]byte, 512)
	n, err := unix.Read(fd, answer)
	if err != nil {
		return netip.Addr{}, os.NewSyscallError("read", err)
	}
	if n != len(b)+16 || answer[3]&15 != 0 {
		return netip.Addr{}, fmt.Errorf("an answer of %d bytes, code %d", n, answer[3]&15)
	}
	return netip.AddrFrom4([4]byte(answer[n-4 : n])), nil // of one record, the last bytes
}
