package escape_test

import (
	"net"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// numbers reads every word as a number.
func numbers(words []string) ([]int, error) {
	all := make([]int, len(words))
	for i, w := range words {
		n, err := strconv.ParseInt(w, 0, 64)
		if err != nil {
			return nil, err
		}
		all[i] = int(n)
	}
	return all, nil
}

// address is what a socket of a family calls an address; an IPv6 socket takes an IPv4 one as v4-mapped.
func address(family int, host, port string) (unix.Sockaddr, error) {
	n, err := strconv.ParseUint(port, 0, 32)
	if err != nil {
		return nil, err
	}
	if family == unix.AF_VSOCK {
		cid, err := strconv.ParseUint(host, 0, 32)
		return &unix.SockaddrVM{CID: uint32(cid), Port: uint32(n)}, err
	}
	ip, err := netip.ParseAddr(host)
	if family == unix.AF_INET6 {
		return &unix.SockaddrInet6{Port: int(n), Addr: ip.As16()}, err
	}
	return &unix.SockaddrInet4{Port: int(n), Addr: ip.As4()}, err
}

func connect(args []string) (string, error) {
	n, err := numbers(args[:3])
	if err != nil {
		return "", err
	}
	to, err := address(n[0], args[3], args[4])
	if err != nil {
		return "", err
	}
	fd, err := unix.Socket(n[0], n[1], n[2])
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_SNDTIMEO, &unix.Timeval{Sec: 2}); err != nil {
		return "", err
	}
	if err := unix.Connect(fd, to); err != nil {
		return "", err
	}
	_, err = unix.Write(fd, []byte("escaped"))
	return "sent", err
}

// anew connects a socket that was inherited with another address: a stream forgets its peer by AF_UNSPEC; connect(2).
func anew(args []string) (string, error) {
	n, err := numbers(args[:2])
	if err != nil {
		return "", err
	}
	fd := n[0]
	to, err := address(n[1], args[2], args[3])
	if err != nil {
		return "", err
	}
	forget(fd)
	if err := unix.Connect(fd, to); err != nil {
		return "", err
	}
	_, err = unix.Write(fd, []byte("escaped"))
	return "sent", err
}

func fastOpen(args []string) (string, error) {
	to, err := address(unix.AF_INET, args[0], args[1])
	if err != nil {
		return "", err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return "sent", unix.Sendto(fd, []byte("escaped"), unix.MSG_FASTOPEN, to)
}

// families tries each family with every type, with the protocols that some of them want.
func families([]string) (string, error) {
	var found []string
	for family := range 64 {
		for kind := 1; kind <= 5; kind++ {
			fd, err := unix.Socket(family, kind, 0)
			if err == nil {
				unix.Close(fd)
				found = append(found, strconv.Itoa(family))
				break
			}
		}
	}
	return strings.Join(found, " ") + ".", nil
}

// peerSignal asks the kernel for a descriptor of the process that made the other end (SO_PEERPIDFD, Linux 6.5).
func peerSignal([]string) (string, error) {
	const peerPidfd = 77
	fd, err := unix.GetsockoptInt(0, unix.SOL_SOCKET, peerPidfd)
	if err != nil {
		return "", err
	}
	return "signalled", unix.PidfdSendSignal(fd, 0, nil, 0)
}

// addAddress gives the loopback interface an address of the documentation's.
func addAddress([]string) (string, error) {
	return "added", newAddress(net.IPv4(192, 0, 2, 9))
}
