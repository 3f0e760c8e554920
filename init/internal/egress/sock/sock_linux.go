// Package sock opens sockets that are connected to one address: non-blocking, closed by execve(2), of one thread's
// epoll(7) set.
//
//	fd, err := sock.Connect(to, unix.SOCK_STREAM)
//	// ... EPOLLOUT ...
//	err = sock.Connected(fd)
//
// A [Spare] is for where the kernel has no descriptor left. An error is the errno of the call that failed, as an
// [os.SyscallError].
package sock

import (
	"net/netip"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Connect makes a socket of kind SOCK_STREAM or SOCK_DGRAM and begins to connect it: a stream is connected, or has
// failed, when it is ready for writing (EINPROGRESS of connect(2)).
func Connect(to netip.AddrPort, kind int) (fd int, err error) {
	domain := unix.AF_INET6
	if to.Addr().Unmap().Is4() {
		domain = unix.AF_INET
	}
	fd, err = unix.Socket(domain, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	sa, err := sockaddr(fd, to)
	if err == nil {
		if err = unix.Connect(fd, sa); err == unix.EINPROGRESS || err == unix.EINTR {
			return fd, nil
		}
		err = os.NewSyscallError("connect", err)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// Connected is how connecting a stream ended: nil, or SO_ERROR of socket(7). A stream that met itself, as may happen
// to a port of the same host at which nothing listens, is refused.
func Connected(fd int) error {
	n, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return os.NewSyscallError("getsockopt", err)
	}
	if n != 0 {
		return os.NewSyscallError("connect", unix.Errno(n))
	}
	peer, err := unix.Getpeername(fd)
	if err != nil {
		return os.NewSyscallError("connect", err)
	}
	if own, err := unix.Getsockname(fd); err == nil && AddrPort(own) == AddrPort(peer) {
		return os.NewSyscallError("connect", unix.ECONNREFUSED)
	}
	return nil
}

// AddrPort is the address of an Internet socket, IPv4 also where the socket is of IPv6; the zero value for any other.
func AddrPort(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

func sockaddr(fd int, to netip.AddrPort) (unix.Sockaddr, error) {
	a := to.Addr().Unmap()
	if a.Is4() {
		return &unix.SockaddrInet4{Port: int(to.Port()), Addr: a.As4()}, nil
	}
	zone, err := index(fd, a.Zone())
	if err != nil {
		return nil, os.NewSyscallError("interface "+a.Zone(), err)
	}
	return &unix.SockaddrInet6{Port: int(to.Port()), Addr: a.As16(), ZoneId: zone}, nil
}

// index is the number of a network interface, for an address that is of one link alone (netdevice(7), SIOCGIFINDEX).
func index(fd int, zone string) (uint32, error) {
	if zone == "" {
		return 0, nil
	}
	if n, err := strconv.ParseUint(zone, 10, 32); err == nil {
		return uint32(n), nil
	}
	r, err := unix.NewIfreq(zone)
	if err == nil {
		err = unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, r)
	}
	if err != nil {
		return 0, err
	}
	return r.Uint32(), nil
}
