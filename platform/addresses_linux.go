package platform

import (
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// OwnAddresses are the addresses of this network namespace's interfaces, and the broadcast addresses of their networks.
func OwnAddresses() (all []netip.Addr, err error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, os.NewSyscallError("socket AF_NETLINK", err)
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, AddressDump(), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, os.NewSyscallError("sendto", err)
	}
	for b := make([]byte, 32<<10); ; {
		n, err := recvFrom(fd, b)
		if err != nil {
			return nil, os.NewSyscallError("recvfrom", err)
		}
		part, done, ok := ParseAddresses(b[:n])
		if !ok {
			return nil, os.NewSyscallError("rtnetlink", unix.EPROTO)
		}
		if all = append(all, part...); done {
			return all, nil
		}
	}
}

func recvFrom(fd int, b []byte) (n int, err error) {
	for {
		if n, _, err = unix.Recvfrom(fd, b, 0); err != unix.EINTR {
			return n, err
		}
	}
}

// AddressChanges is a socket from which something can be read once an address of this network namespace, or a route of
// IPv6, has changed; rtnetlink(7).
func AddressChanges() (fd int, err error) {
	fd, err = unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return -1, os.NewSyscallError("socket AF_NETLINK", err)
	}
	groups := uint32(unix.RTMGRP_IPV4_IFADDR | unix.RTMGRP_IPV6_IFADDR | unix.RTMGRP_IPV6_ROUTE)
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups}); err != nil {
		unix.Close(fd)
		return -1, os.NewSyscallError("bind", err)
	}
	return fd, nil
}

// RoutesIPv6 reports whether this network namespace has a route to public addresses of IPv6. No packet is sent.
func RoutesIPv6() bool {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	// 2001:db8::1, of RFC 3849, belongs to no host: the default route decides.
	return unix.Connect(fd, &unix.SockaddrInet6{Addr: [16]byte{0x20, 0x01, 0x0d, 0xb8, 15: 1}, Port: 9}) == nil
}
