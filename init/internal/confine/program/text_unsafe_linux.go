//go:build amd64 || arm64

package program

import "unsafe"

// text is the runner's code, or nil if entry does not lead to it. text reads up to the mark only: the
// mapping may end there.
func text() []byte {
	start := entry()
	for n := 0; n < maxCode; n++ {
		if b := unsafe.Slice(start, n+8); get64(b, n) == endMark {
			return b[:n:n]
		}
	}
	return nil
}
