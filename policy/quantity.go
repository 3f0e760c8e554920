package policy

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A Quantity is a number of bytes. 0 means that nothing is said, and below 0 only [Unlimited] is valid.
type Quantity int64

// Unlimited is the word of that name, for every kind of limit.
const Unlimited = -1

// The least that a policy may name. Below LeastTmpSize the private file systems cannot be laid out, and below
// LeastMemory the kernel cannot execute anything. A program that is linked with libc maps the library within
// LeastAddressSpace, and opens the library beside the three standard descriptors.
const (
	LeastTmpSize      Quantity = 1 << 20
	LeastMemory       Quantity = 16 << 20
	LeastAddressSpace Quantity = 4 << 20
	LeastOpenFiles    Count    = 4
)

const (
	unlimited   = "unlimited"
	orUnlimited = `, or "unlimited"` // ends errors of limits that need not be one
)

// units are the suffixes, each 1024 times the one before. Ki is K, and so on.
const units = "KMGT"

// Value is the limit in bytes; limited is false for 0 and for Unlimited.
func (q Quantity) Value() (bytes int64, limited bool) { return int64(q), q > 0 }

// String writes the largest unit that divides q: "512M"; 0 is "".
func (q Quantity) String() string {
	if q <= 0 {
		return noLimit(int64(q))
	}
	n := int64(q)
	unit := 0
	for unit < len(units) && n%1024 == 0 {
		n /= 1024
		unit++
	}
	s := strconv.FormatInt(n, 10)
	if unit > 0 {
		s += units[unit-1 : unit]
	}
	return s
}

func noLimit(n int64) string {
	switch n {
	case 0:
		return ""
	case Unlimited:
		return unlimited
	}
	return strconv.FormatInt(n, 10) // what Validate refuses
}

// readLimit reads a limit above zero, or the word unlimited. read returns the number in any other text, or what is
// wrong with that text.
func readLimit[T ~int64](limit *T, text []byte, read func(s string) (n int64, wrong string)) error {
	if string(text) == unlimited {
		*limit = Unlimited
		return nil
	}
	n, wrong := read(string(text))
	if wrong == "" && n == 0 {
		wrong = "is zero: a limit must be above it" + orUnlimited
	}
	if wrong != "" {
		return invalid(text, wrong)
	}
	*limit = T(n)
	return nil
}

// UnmarshalText reads "512M", "1.5Gi", "4096" or "unlimited". The suffixes K M G T and Ki Mi Gi Ti are powers of 1024.
func (q *Quantity) UnmarshalText(text []byte) error {
	return readLimit(q, text, func(s string) (int64, string) {
		number, shift := s, 0
		if i := strings.IndexAny(s, units); i > 0 {
			suffix := s[i:]
			if len(suffix) > 2 || len(suffix) == 2 && suffix[1] != 'i' {
				return 0, "is no quantity: K M G T or Ki Mi Gi Ti may follow the number, as in 512M" + meantQuantity(s)
			}
			number, shift = s[:i], 10*(1+strings.IndexByte(units, s[i]))
		}
		n, ok := decimal(number, 1<<shift)
		switch {
		case strings.HasPrefix(s, "-"):
			return 0, "is negative"
		case !ok:
			return 0, "is no quantity: write a number such as 512M or 2Gi" + meantQuantity(s) + orUnlimited
		}
		return n, ""
	})
}

// decimal reads digits, with up to nine more behind a point, times unit, rounded down. A value above int64 is false.
func decimal(s string, unit uint64) (int64, bool) {
	whole, fraction, point := strings.Cut(s, ".")
	if !digits(whole) || point && (!digits(fraction) || len(fraction) > 9) {
		return 0, false
	}
	n, err := strconv.ParseUint(whole, 10, 64)
	if err != nil {
		return 0, false
	}
	hi, total := bits.Mul64(n, unit)
	if hi != 0 {
		return 0, false
	}
	if point {
		scale := uint64(1)
		for range fraction {
			scale *= 10
		}
		f, _ := strconv.ParseUint(fraction, 10, 64)
		hi, lo := bits.Mul64(f, unit)
		part, _ := bits.Div64(hi, lo, scale)
		total += part // less than unit, of which total is a multiple: no carry
	}
	return int64(total), total <= math.MaxInt64
}

// digits reports whether a text is nothing but decimal digits.
func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// invalid is the error of a text that no value comes from.
func invalid[T string | []byte](s T, why string) error {
	return textError(text.Quote(string(s)) + " " + why)
}

type textError string

func (e textError) Error() string { return string(e) }
