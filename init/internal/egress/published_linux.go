package egress

import (
	"net/netip"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// callers is the queue of a listener, beside those that live; listen(2).
const callers = 512

// A published is a port of the host's.
type published struct {
	policy.Publish
	fd     int
	at     netip.AddrPort
	member *loop.Member
}

// listen listens on one address. A port is free although connections of an earlier listener have not timed out:
// socket(7), SO_REUSEADDR. [::] is IPv6 alone: ipv6(7), IPV6_V6ONLY.
func listen(at netip.AddrPort) (int, error) {
	family := unix.AF_INET
	if at.Addr().Is6() {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	if err == nil && family == unix.AF_INET6 {
		err = unix.SetsockoptInt(fd, unix.SOL_IPV6, unix.IPV6_V6ONLY, 1)
	}
	if err == nil {
		err = unix.Bind(fd, sockaddr(at))
	}
	if err == nil {
		err = unix.Listen(fd, callers)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// boundTo is the address that a socket listens on.
func boundTo(fd int) (netip.AddrPort, error) {
	listens, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ACCEPTCONN)
	if err != nil {
		return netip.AddrPort{}, err
	}
	at, err := unix.Getsockname(fd)
	if err != nil || listens == 0 {
		return netip.AddrPort{}, err
	}
	return addrPortOf(at), nil
}

// sockaddr is an address for connect(2) and bind(2).
func sockaddr(at netip.AddrPort) unix.Sockaddr {
	if at.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: at.Addr().As4(), Port: int(at.Port())}
	}
	return &unix.SockaddrInet6{Addr: at.Addr().As16(), Port: int(at.Port())}
}

// addrPortOf is the address and port of a socket address, or none.
func addrPortOf(at unix.Sockaddr) netip.AddrPort {
	port := 0
	switch a := at.(type) {
	case *unix.SockaddrInet4:
		port = a.Port
	case *unix.SockaddrInet6:
		port = a.Port
	}
	return netip.AddrPortFrom(addressOf(at), uint16(port))
}

// Ports are the entries with the ports that the host has for them.
func (p *Publisher) Ports() (all []string) {
	if p == nil {
		return nil
	}
	for _, port := range p.ports {
		all = append(all, port.text())
	}
	return all
}

func (p *published) text() string { return p.at.String() + ":" + strconv.Itoa(int(p.Port)) }

// Facts compare the addresses that the host's kernel was asked for with those that it reports now.
func (p *Publisher) Facts() (all []order.Fact) {
	if p == nil {
		return nil
	}
	for _, port := range p.ports {
		want := netip.AddrPortFrom(port.Address, port.HostPort)
		if port.HostPort == 0 {
			want = netip.AddrPortFrom(port.Address, port.at.Port())
		}
		got := "nothing"
		if at, err := boundTo(port.fd); err == nil && at.IsValid() {
			got = at.String()
		}
		all = append(all, order.Fact{Name: "published " + port.String(), Want: want.String(), Got: got})
	}
	return all
}
