package page

import "strconv"

// Size is a number of bytes in the unit that leaves one to four digits.
func Size(bytes int64) string {
	unit := 0
	for ; bytes >= 10_000 && unit < 4; unit++ {
		bytes >>= 10
	}
	return strconv.FormatInt(bytes, 10) + "BKMGT"[unit:unit+1]
}
