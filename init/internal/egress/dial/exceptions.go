package dial

import (
	"net/netip"
	"strconv"
	"strings"
)

// exceptions are the entries of NO_PROXY, by the rules of golang.org/x/net/http/httpproxy. Entries that are not ASCII
// have no effect: names are in their ASCII form here.
type exceptions struct {
	all     bool // "*"
	entries []exception
}

// An exception is a network, an address or a name.
type exception struct {
	network  netip.Prefix
	address  netip.Addr
	below    string // ".example.com": the names that end so
	itself   bool   // example.com too
	port     string // "": any
	isPrefix bool
}

func parseExceptions(text string) (e exceptions) {
	for entry := range strings.SplitSeq(text, ",") {
		entry = strings.ToLower(strings.TrimSpace(entry))
		if entry == "*" {
			return exceptions{all: true}
		}
		if entry == "" {
			continue
		}
		if network, ok := parseNetwork(entry); ok {
			e.entries = append(e.entries, exception{network: network, isPrefix: true})
			continue
		}
		host, port, found := splitPort(entry)
		if !found {
			host, port = entry, ""
		}
		if host == "" {
			continue
		}
		if a, err := netip.ParseAddr(host); err == nil && a.Zone() == "" {
			e.entries = append(e.entries, exception{address: a.Unmap(), port: port})
			continue
		}
		host = strings.TrimPrefix(host, "*")
		if strings.HasPrefix(entry, "*") && !strings.HasPrefix(host, ".") {
			host = "*" + host // no more than the text that it is
		}
		itself := host[0] != '.'
		if itself {
			host = "." + host
		}
		e.entries = append(e.entries, exception{below: host, itself: itself, port: port})
	}
	return e
}

// have reports whether a host, a name or an address without brackets, is dialled without the proxy.
func (e *exceptions) have(host string, port uint16) bool {
	a, err := netip.ParseAddr(host)
	literal := err == nil
	if a = a.Unmap().WithZone(""); host == "localhost" || a.IsLoopback() || e.all {
		return true
	}
	host = strings.ToLower(strings.TrimSpace(host))
	for _, x := range e.entries {
		switch {
		case x.isPrefix:
			if literal && x.network.Contains(a) {
				return true
			}
		case x.port != "" && x.port != strconv.Itoa(int(port)):
		case x.address.IsValid():
			if literal && x.address == a {
				return true
			}
		case !literal && (strings.HasSuffix(host, x.below) || x.itself && host == x.below[1:]):
			return true
		}
	}
	return false
}

// parseNetwork is net.ParseCIDR: a network of IPv4 in its IPv6 form is the one of IPv4.
func parseNetwork(s string) (netip.Prefix, bool) {
	text, bits, ok := strings.Cut(s, "/")
	a, err := netip.ParseAddr(text)
	n, err2 := strconv.ParseUint(bits, 10, 8)
	if !ok || err != nil || err2 != nil || a.Zone() != "" || int(n) > a.BitLen() {
		return netip.Prefix{}, false
	}
	if a.Is4In6() && n >= 96 {
		a, n = a.Unmap(), n-96
	}
	return netip.PrefixFrom(a, int(n)).Masked(), true
}

// splitPort is net.SplitHostPort.
func splitPort(s string) (host, port string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", "", false
	}
	host, port = s[:i], s[i+1:]
	if s[0] == '[' {
		end := strings.IndexByte(s, ']')
		if end < 0 || end+1 != i {
			return "", "", false
		}
		host = s[1:end]
	} else if strings.Contains(host, ":") {
		return "", "", false
	}
	if strings.ContainsAny(host, "[]") || strings.ContainsAny(port, "[]") {
		return "", "", false
	}
	return host, port, true
}
