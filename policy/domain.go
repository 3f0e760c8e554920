package policy

import (
	"net/netip"
	"strings"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/policy/suffix"
)

// A Domain is one entry of allowedDomains or deniedDomains.
type Domain struct {
	// Host is a name in lower case, or an address without brackets, as net/netip writes the address.
	Host string
	// Below means that the names below Host are meant, at any depth, and Host itself is not: *.example.com.
	Below bool
	// Address means that Host is an IP address.
	Address bool
	// Port is the only port. 0 means 80 and 443 in allowedDomains, and every port in deniedDomains.
	Port uint16
}

// ParseDomain reads a name, an IP address, or *.name for the names below a name, each with :port behind or without,
// where IPv6 with a port stands in brackets. localhost, the launcher's machine, needs a port.
func ParseDomain(s string) (Domain, error) {
	var d Domain
	if err := checkForeign(s); err != nil {
		return d, err
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return addressed(a, 0, s)
	}
	host, port := s, ""
	if before, after, ok := cutLast(s); ok && !strings.HasSuffix(s, "]") {
		host, port = before, after
		var err error
		if d.Port, err = readPort(port, 1); err != nil {
			return Domain{}, invalid(s, "has no port between 1 and 65535 behind the colon")
		}
		if d.Port == portDNS {
			return Domain{}, invalid(s, "has port 53: the sandbox answers DNS itself, and opens no other")
		}
	}
	if inside, ok := strings.CutPrefix(host, "["); ok {
		inside, closed := strings.CutSuffix(inside, "]")
		a, err := netip.ParseAddr(inside)
		if !closed || err != nil || !a.Is6() {
			return Domain{}, invalid(s, "has no IPv6 address in its brackets")
		}
		return addressed(a, d.Port, s)
	}
	if a, err := netip.ParseAddr(host); err == nil && a.Is4() {
		return addressed(a, d.Port, s)
	}
	d.Host = strings.ToLower(host)
	if rest, ok := strings.CutPrefix(d.Host, "*."); ok {
		d.Host, d.Below = rest, true
	}
	if err := d.check(s); err != nil {
		return Domain{}, err
	}
	return d, nil
}

// portDNS is the port of DNS, RFC 1035.
const portDNS = 53

// addressed is the entry of an address. s is for the error.
func addressed(a netip.Addr, port uint16, s string) (Domain, error) {
	if err := checkAddress(a, s); err != nil {
		return Domain{}, err
	}
	return Domain{Host: a.String(), Address: true, Port: port}, nil
}

// checkForeign refuses what stands around a name elsewhere.
func checkForeign(s string) error {
	before, _, slash := strings.Cut(s, "/")
	_, err := netip.ParseAddr(strings.Trim(before, "[]"))
	switch {
	case strings.ContainsAny(s, ", "):
		return invalid(s, "is no domain: write each name by itself")
	case !ascii(s): // before a letter such as U+212A becomes the k of ASCII
		return invalid(s, "is not ASCII: write the xn-- form of the name")
	case strings.IndexByte(s, '@') >= 0:
		return textError("holds an @: write the name alone, as in example.com") // a password may stand there
	case slash && err == nil:
		return invalid(s, "is a range of addresses: write each address that is needed, or a name")
	case slash:
		return invalid(s, "is no domain: write the name alone, as in example.com")
	case strings.IndexByte(s, '%') >= 0:
		return invalid(s, "holds a %, which no name and no address of another host has")
	}
	return nil
}

// check looks at a name that ParseDomain took apart. s is for the error.
func (d *Domain) check(s string) error {
	_, err := netip.ParseAddr(d.Host)
	switch {
	case d.Below && (err == nil || strings.IndexByte(d.Host, '.') < 0):
		return invalid(s, "is too wide: two names at least must follow the star, as in *.example.com")
	case strings.IndexByte(d.Host, '*') >= 0:
		return invalid(s, "is no domain: a star can only stand in front, as in *.example.com")
	case d.Host == "localhost" && d.Port == 0:
		return invalid(s, "needs a port, as in localhost:8080")
	case strings.HasSuffix(d.Host, ".localhost"):
		return invalid(s, "is this machine under another name: write localhost:PORT")
	case strings.HasSuffix(d.Host, ".") && len(d.Host) > 1:
		return invalid(s, "is no domain: write the name without the dot at its end")
	}
	if err := checkHost(d.Host, s); err != nil {
		return err
	}
	if d.Below && suffix.Public(d.Host) {
		return invalid(s, "is too wide: anybody can have a name there (publicsuffix.org)")
	}
	return nil
}

// SharedSuffix reports whether a company lets strangers have a name below host, as below github.io, vercel.app and
// s3.amazonaws.com, so that an entry with a star in front of host lets the server reach whoever wants to be reached.
// host is that of a [Domain].
func SharedSuffix(host string) bool { return strings.IndexByte(host, '.') >= 0 && suffix.Shared(host) }

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
			if c := label[i]; c != '-' && c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
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

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

func checkDomain(s string) error {
	if s == "" {
		return textError("the domain is empty")
	}
	_, err := ParseDomain(s)
	return err
}

// maxPorts is how many ports allowedDomains may have together: each takes a listener.
const maxPorts = 128

// ports counts the distinct ports of a list's entries; of an entry that is wrong none counts.
func ports(list []string) int {
	seen := make(map[uint16]struct{}, maxPorts)
	for _, s := range list {
		d, err := ParseDomain(s)
		switch {
		case err != nil:
		case d.Port != 0:
			seen[d.Port] = struct{}{}
		default:
			seen[80], seen[443] = struct{}{}, struct{}{}
		}
	}
	return len(seen)
}
