//go:build amd64 || arm64

package program

import "unsafe"

// text is the runner's code, or nil if it is not where entry says. It reads no further than the mark: what lies
// behind may be the end of the mapping.
func text() []byte {
	start := entry()
	for n := 0; n < maxCode; n++ {
		if b := unsafe.Slice(start, n+8); get64(b, n) == endMark {
			return b[:n:n]
		}
	}
	return nil
}
