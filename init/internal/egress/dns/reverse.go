package dns

import (
	"net/netip"
	"strings"
)

// ReverseName returns the address with a PTR record of this name: four numbers below in-addr.arpa, without leading
// zeros, or 32 hexadecimal digits below ip6.arpa (RFC 3596, 2.5). The name is in lower case, as Question.Name.
func ReverseName(name string) (netip.Addr, bool) {
	if digits, ok := strings.CutSuffix(name, ".ip6.arpa"); ok {
		return reverse6(digits)
	}
	numbers, ok := strings.CutSuffix(name, ".in-addr.arpa")
	if !ok {
		return netip.Addr{}, false
	}
	var a [4]byte
	for i := 3; i >= 0; i-- {
		number, rest, more := strings.Cut(numbers, ".")
		n, ok := octet(number)
		if !ok || more != (i > 0) {
			return netip.Addr{}, false
		}
		a[i], numbers = n, rest
	}
	return netip.AddrFrom4(a), true
}

func octet(s string) (byte, bool) {
	if s == "" || len(s) > 3 || len(s) > 1 && s[0] == '0' {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return byte(n), n <= 255
}

// reverse6 reads 32 digits with dots between them, the last digit of the address first.
func reverse6(digits string) (netip.Addr, bool) {
	if len(digits) != 32*2-1 {
		return netip.Addr{}, false
	}
	var a [16]byte
	for i := range 32 {
		d := strings.IndexByte("0123456789abcdef", digits[2*i])
		if d < 0 || i > 0 && digits[2*i-1] != '.' {
			return netip.Addr{}, false
		}
		a[15-i/2] |= byte(d) << (4 * (i % 2))
	}
	return netip.AddrFrom16(a), true
}
