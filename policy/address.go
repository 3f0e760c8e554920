package policy

import (
	"strconv"
	"strings"
)

// isIPv4 reports whether s is four numbers from 0 to 255 without leading zeros. net/netip would do, but it has
// something to initialise at every start.
func isIPv4(s string) bool {
	for n := 1; ; n++ {
		part, rest, more := strings.Cut(s, ".")
		v, err := strconv.ParseUint(part, 10, 8)
		if err != nil || v > 255 || !digits(part) || len(part) > 1 && part[0] == '0' {
			return false
		}
		if !more {
			return n == 4
		}
		s = rest
	}
}

// isIPv6 reports whether s is an address as RFC 4291, 2.2 writes it, without a zone.
func isIPv6(s string) bool {
	head, tail, short := strings.Cut(s, "::")
	if !short {
		n, ok := groups(s, true)
		return ok && n == 8
	}
	a, ok := groups(head, false)
	if !ok {
		return false
	}
	b, ok := groups(tail, true)
	return ok && a+b < 8
}

// groups counts groups of 16 bits between colons; the last may be an IPv4 address, which is two.
func groups(s string, v4 bool) (n int, ok bool) {
	if s == "" {
		return 0, true
	}
	for {
		part, rest, more := strings.Cut(s, ":")
		if !more && v4 && isIPv4(part) {
			return n + 2, true
		}
		if _, err := strconv.ParseUint(part, 16, 16); err != nil || len(part) > 4 {
			return 0, false
		}
		n++
		if !more {
			return n, true
		}
		s = rest
	}
}
