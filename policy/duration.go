package policy

import (
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A Duration is a time.Duration. 0 means that nothing is said, and below 0 only [Unlimited] is valid.
type Duration time.Duration

// Value is the duration; limited is false for 0 and for Unlimited.
func (d Duration) Value() (t time.Duration, limited bool) { return time.Duration(d), d > 0 }

// String is in the syntax of Go, without the units that are zero at the end: "1m30s", "2h". String is "" for 0.
func (d Duration) String() string {
	if d <= 0 {
		return noLimit(int64(d))
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// UnmarshalText reads Go's syntax, as in "30s" or "1h30m", or "unlimited".
func (d *Duration) UnmarshalText(str []byte) error {
	return readLimit(d, str, func(s string) (int64, string) {
		t, err := time.ParseDuration(s)
		switch {
		case strings.HasPrefix(s, "-"):
			return 0, "is negative"
		case err != nil && digits(s):
			return 0, "has no unit: write " + text.Quote(s+"s") + " for seconds"
		case err != nil:
			return 0, "is no duration: write 500ms, 30s or 1h30m" + meantDuration(s) + orUnlimited
		}
		return int64(t), ""
	})
}
