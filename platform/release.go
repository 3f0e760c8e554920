package platform

import (
	"strconv"
	"strings"
)

// KernelAtLeast compares a kernel's release with a version.
func KernelAtLeast(release string, major, minor int) bool {
	a, rest, _ := strings.Cut(release, ".")
	b, _, _ := strings.Cut(rest, ".")
	for i := range b {
		if b[i] < '0' || b[i] > '9' {
			b = b[:i]
			break
		}
	}
	x, err1 := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	return err1 == nil && err2 == nil && (x > major || x == major && y >= minor)
}
