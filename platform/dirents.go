package platform

// ParseDirents returns the names in what getdents64(2) stored. It fails on a record that runs over the end.
func ParseDirents(b []byte) (names []string, ok bool) {
	ok = dirents(b, func(name string, _ byte) { names = append(names, name) })
	if !ok {
		return nil, false
	}
	return names, true
}

func dirents(b []byte, each func(name string, kind byte)) (ok bool) {
	const head = 19 // inode, offset, length, type
	for len(b) > 0 {
		if len(b) < head {
			return false
		}
		n := int(b[16]) | int(b[17])<<8
		if n < head+1 || n > len(b) {
			return false
		}
		name := b[head:n]
		end := 0
		for end < len(name) && name[end] != 0 {
			end++
		}
		if end == len(name) {
			return false
		}
		each(string(name[:end]), b[18])
		b = b[n:]
	}
	return true
}
