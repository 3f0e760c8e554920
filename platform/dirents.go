package platform

import "bytes"

// ParseDirents returns the names in a buffer of getdents64(2). A record that runs over the end is an error.
func ParseDirents(b []byte) (names []string, ok bool) {
	_, ok = dirents(b, func(name []byte, _ byte) bool {
		names = append(names, string(name))
		return true
	})
	return names, ok
}

// dirents calls each with names and types until each returns false; on is false then. A record that runs over the end
// is not ok.
func dirents(b []byte, each func(name []byte, kind byte) bool) (on, ok bool) {
	const head = 19 // inode, offset, length, type
	for len(b) > 0 {
		if len(b) < head {
			return true, false
		}
		n := int(b[16]) | int(b[17])<<8
		if n < head+1 || n > len(b) {
			return true, false
		}
		name, _, ended := bytes.Cut(b[head:n], []byte{0})
		if !ended {
			return true, false
		}
		if !each(name, b[18]) {
			return false, true
		}
		b = b[n:]
	}
	return true, true
}
