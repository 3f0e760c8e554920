package platform

import (
	"strconv"
	"strings"
)

// KernelAtLeast compares a kernel's release with a version.
func KernelAtLeast(release string, major, minor int) bool {
	a, rest, _ := strings.Cut(release, ".")
	b := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	x, err1 := strconv.Atoi(a)
	y, err2 := strconv.Atoi(b)
	return err1 == nil && err2 == nil && (x > major || x == major && y >= minor)
}
