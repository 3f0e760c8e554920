package platform

// ParseDirents returns the names in what getdents64(2) stored. It fails on a record that runs over the end.
func ParseDirents(b []byte) (names []string, ok bool) {
	const head = 19 // inode, offset, length, type
	for len(b) > 0 {
		if len(b) < head {
			return nil, false
		}
		n := int(b[16]) | int(b[17])<<8
		if n < head+1 || n > len(b) {
			return nil, false
		}
		name := b[head:n]
		end := 0
		for end < len(name) && name[end] != 0 {
			end++
		}
		if end == len(name) {
			return nil, false
		}
		names = append(names, string(name[:end]))
		b = b[n:]
	}
	return names, true
}
