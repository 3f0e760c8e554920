//go:build amd64 || arm64

package program

import "unsafe"

// text is the runner's code, or nil if it is not whole.
func text() []byte {
	start, end := bounds()
	n := int(uintptr(unsafe.Pointer(end)) - uintptr(unsafe.Pointer(start)))
	if n <= 0 || n > maxCode {
		return nil
	}
	b := unsafe.Slice(start, n+8)
	if get64(b, n) != endMark {
		return nil
	}
	return b[:n:n]
}
