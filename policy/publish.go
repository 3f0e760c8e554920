package policy

import (
	"net/netip"
	"strconv"
	"strings"
)

// A Publish is one entry of publish: a TCP port of the server that the host reaches.
type Publish struct {
	// Address is where the host listens.
	Address netip.Addr
	// HostPort is the port at which the host listens; 0 for any that is free.
	HostPort uint16
	// Port is the server's.
	Port uint16
}

// Outside is in words where the host listens: an address with a port, or "a free port of" an address.
func (p Publish) Outside() string {
	if p.HostPort == 0 {
		return "a free port of " + p.Address.String()
	}
	return netip.AddrPortFrom(p.Address, p.HostPort).String()
}

// ParsePublish reads [HOSTADDRESS:]HOSTPORT:PORT, where an IPv6 address stands in brackets. Without an address it is
// 127.0.0.1.
func ParsePublish(s string) (Publish, error) {
	p := Publish{Address: netip.AddrFrom4([4]byte{127, 0, 0, 1})}
	rest, port, two := cutLast(s)
	if !two {
		return Publish{}, invalid(s, "is no HOSTPORT:PORT, as in 8080:3000")
	}
	address, hostPort, three := cutLast(rest)
	if three {
		inside, open := strings.CutPrefix(address, "[")
		inside, closed := strings.CutSuffix(inside, "]")
		a, err := netip.ParseAddr(inside)
		if err != nil || a.Zone() != "" || a.Is4In6() || a.IsMulticast() || open != a.Is6() || closed != a.Is6() {
			return Publish{}, invalid(s, "has no address in front: write 127.0.0.1:8080:3000, or [::1]:8080:3000")
		}
		p.Address = a
	}
	var err error
	if p.HostPort, err = readPort(hostPort, 0); err != nil {
		return Publish{}, invalid(s, "has no port of the host between 0 and 65535, as in 8080:3000")
	}
	if p.Port, err = readPort(port, 1); err != nil {
		return Publish{}, invalid(s, "has no port of the server between 1 and 65535 at its end, as in 8080:3000")
	}
	return p, nil
}

// String is the entry with its address.
func (p Publish) String() string {
	return netip.AddrPortFrom(p.Address, p.HostPort).String() + ":" + strconv.Itoa(int(p.Port))
}

// cutLast divides at the last colon; what has none is all behind.
func cutLast(s string) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, ':'); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return "", s, false
}

// readPort reads a port in decimal digits without a zero in front.
func readPort(s string, least uint16) (uint16, error) {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil || uint16(n) < least || !digits(s) || len(s) > 1 && s[0] == '0' {
		return 0, invalid(s, "is no port")
	}
	return uint16(n), nil
}

func checkPublish(s string) error {
	_, err := ParsePublish(s)
	return err
}
