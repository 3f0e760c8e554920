package platform

import "golang.org/x/sys/unix"

// RouteOut reports whether a UDP socket of this process can be connected to an address of the documentation range
// (RFC 5737), which sends nothing. It is the control for the same act inside, where it must fail.
func RouteOut() bool {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	return unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 1}}) == nil
}
