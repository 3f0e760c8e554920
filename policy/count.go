package policy

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A Count is a number of things. 0 means that nothing is said, and below 0 only [Unlimited] is valid.
type Count int64

// Value is the limit; limited is false for 0 and for Unlimited.
func (c Count) Value() (n int64, limited bool) { return int64(c), c > 0 }

// String is the number or "unlimited", and "" for 0.
func (c Count) String() string {
	if c <= 0 {
		return noLimit(int64(c))
	}
	return strconv.FormatInt(int64(c), 10)
}

// UnmarshalText reads a whole number or "unlimited".
func (c *Count) UnmarshalText(str []byte) error {
	return readLimit(c, str, func(s string) (int64, string) {
		n, err := strconv.ParseInt(s, 10, 64)
		switch {
		case err != nil || s[0] == '+':
			return 0, "is neither a whole number nor " + text.Quote(unlimited)
		case n < 0:
			return 0, "is negative"
		}
		return n, ""
	})
}
