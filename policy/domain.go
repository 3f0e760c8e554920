package policy

import (
	"strconv"
	"strings"
)

// A Domain is one entry of allowedDomains or deniedDomains.
type Domain struct {
	// Host is a name in lower case, or an address without brackets.
	Host string
	// Below means that the names below Host are meant and Host itself is not: *.example.com.
	Below bool
	// Address means that Host is an IP address.
	Address bool
	// Port is the only port, or 0 for 80 and 443.
	Port uint16
}

// ParseDomain reads a name, name:port, *.name, localhost:port, an IP address, or address:port, where IPv6 stands in
// brackets. localhost, the launcher's machine, needs a port.
func ParseDomain(s string) (Domain, error) {
	var d Domain
	if strings.Contains(s, "://") || strings.IndexByte(s, '/') >= 0 {
		return d, invalid(s, "is no domain: write the name alone, as in example.com")
	}
	if isIPv6(s) {
		return Domain{Host: strings.ToLower(s), Address: true}, nil
	}
	host, port, named := s, "", false
	if i := strings.LastIndexByte(s, ':'); i >= 0 && !strings.HasSuffix(s, "]") {
		host, port, named = s[:i], s[i+1:], true
	}
	if named {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 || !digits(port) || port[0] == '0' {
			return d, invalid(s, "has no port between 1 and 65535 behind the colon")
		}
		d.Port = uint16(n)
	}
	if inside, ok := strings.CutPrefix(host, "["); ok {
		inside, ok = strings.CutSuffix(inside, "]")
		if !ok || !isIPv6(inside) {
			return Domain{}, invalid(s, "has no IPv6 address in its brackets")
		}
		d.Host, d.Address = strings.ToLower(inside), true
		return d, nil
	}
	d.Host = strings.ToLower(host)
	d.Address = isIPv4(host)
	if rest, ok := strings.CutPrefix(d.Host, "*."); ok {
		d.Host, d.Below = rest, true
	}
	if err := d.check(s); err != nil {
		return Domain{}, err
	}
	return d, nil
}

// check looks at what ParseDomain took apart. s is for the error.
func (d *Domain) check(s string) error {
	switch {
	case d.Address:
		return nil
	case d.Below && (isIPv4(d.Host) || strings.IndexByte(d.Host, '.') < 0):
		return invalid(s, "is too wide: two names at least must follow the star, as in *.example.com")
	case d.Below && d.Port != 0:
		return invalid(s, "has a star and a port: only a single name can have a port")
	case strings.IndexByte(d.Host, '*') >= 0:
		return invalid(s, "is no domain: a star can only stand in front, as in *.example.com")
	case d.Host == "localhost" && d.Port == 0:
		return invalid(s, "needs a port, as in localhost:8080")
	}
	return checkHost(d.Host, s)
}

// checkHost checks a name as DNS has it, RFC 1035 and the underscore that many have. s is for the error.
func checkHost(host, s string) error {
	if len(host) > 253 {
		return invalid(s, "is longer than a name can be: 253 bytes")
	}
	last := ""
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return invalid(s, "is no domain")
		}
		for i := 0; i < len(label); i++ {
			switch c := label[i]; {
			case c >= 0x80:
				return invalid(s, "is not ASCII: write the xn-- form of the name")
			case c != '-' && c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9'):
				return invalid(s, "is no domain")
			}
		}
		last = label
	}
	// No name ends in a number: resolvers take 127.1 and 0x7f.1 for addresses.
	if digits(last) || strings.HasPrefix(last, "0x") {
		return invalid(s, "is neither a name nor an IPv4 address of four numbers")
	}
	return nil
}

func checkDomain(s string) error {
	if s == "" {
		return textError("the domain is empty")
	}
	_, err := ParseDomain(s)
	return err
}
