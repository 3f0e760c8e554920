package guard

// open is the beginning of an object or array.
func (s *scanner) open(object bool) bool {
	if s.depth == 0 {
		s.base = 2
		if object {
			s.base = 1
		}
	}
	if s.depth++; s.depth > maxDepth {
		return false
	}
	word, bit := &s.object[s.depth/64], uint64(1)<<(s.depth%64)
	if object {
		*word |= bit
		s.state = keyOrEnd
	} else {
		*word &^= bit
		s.state = valueOrEnd
	}
	if s.depth == s.base {
		s.found = false
	}
	return true
}

// shut is the end of an object or array. At the end of a message its "jsonrpc" must have come.
func (s *scanner) shut(object bool) bool {
	if s.inObject() != object || s.depth == s.base && !s.found {
		return false
	}
	if s.depth == s.base {
		s.count++
	}
	s.depth--
	s.state = behind
	return true
}

func (s *scanner) inObject() bool { return s.object[s.depth/64]>>(s.depth%64)&1 != 0 }
