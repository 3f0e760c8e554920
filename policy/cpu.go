package policy

import (
	"strconv"
	"strings"
)

// A CPU is a rate in thousandths of a core. 0 means that nothing is said, and below 0 only [Unlimited] is valid.
type CPU int64

// maxCPU is far above any machine, and what is multiplied by it stays in range.
const maxCPU = 1 << 20 * 1000

// Value is the limit in thousandths of a core; limited is false for 0 and for Unlimited.
func (c CPU) Value() (milli int64, limited bool) { return int64(c), c > 0 }

// String is "2", "500m" or "unlimited", and "" for 0.
func (c CPU) String() string {
	switch {
	case c <= 0:
		return noLimit(int64(c))
	case c%1000 == 0:
		return strconv.FormatInt(int64(c)/1000, 10)
	}
	return strconv.FormatInt(int64(c), 10) + "m"
}

// UnmarshalText reads "500m", "2", "0.5" or "unlimited". Nothing is finer than a thousandth.
func (c *CPU) UnmarshalText(text []byte) error {
	return readLimit(c, text, func(s string) (int64, string) {
		number, unit := s, uint64(1000)
		if m, ok := strings.CutSuffix(s, "m"); ok {
			number, unit = m, 1
		}
		n, ok := decimal(number, unit)
		_, fraction, _ := strings.Cut(number, ".")
		switch {
		case strings.HasPrefix(s, "-"):
			return 0, "is negative"
		case !ok || n > maxCPU:
			return 0, "is no number of cores: write 500m, 2 or 0.5" + orUnlimited
		case len(strings.TrimRight(fraction, "0")) > 3 || unit == 1 && fraction != "":
			return 0, "is finer than a thousandth of a core"
		}
		return n, ""
	})
}
