package guard

// string is the beginning of a name or a text, which is compared with word where "jsonrpc" or its value may
// stand. A string with an escape is taken to differ: nobody writes "jsonrpc" with one.
func (s *scanner) string(word string, after state) {
	s.state, s.after, s.word = text, after, word
	s.same = s.depth == s.base && (after == colon || s.member)
}

func (s *scanner) inText(c byte) bool {
	switch {
	case c < ' ':
		return false
	case c == '\\':
		s.state, s.same = escape, false
	case c == '"':
		return s.ended()
	case s.same && s.word != "" && c == s.word[0]:
		s.word = s.word[1:]
	default:
		s.same = false
	}
	return true
}

// ended is the end of a string.
func (s *scanner) ended() bool {
	same := s.same && s.word == ""
	s.state, s.same = s.after, false
	if s.after == colon {
		s.member = same
		return true
	}
	if s.member {
		s.member, s.found = false, true
		return same // "jsonrpc" of another version
	}
	return true
}

func (s *scanner) escaped(c byte) bool {
	s.state = text
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		s.state, s.hex = unicode, 4
		return true
	}
	return false
}

// number reads one byte of a number, or finds that the number is over.
func (s *scanner) number(c byte) (more, ok bool) {
	digit := '0' <= c && c <= '9'
	switch s.state {
	case minus:
		s.state = digits
		if c == '0' {
			s.state = zero
		}
		return true, digit
	case point:
		s.state = fraction
		return true, digit
	case exponent:
		s.state = power
		if c == '+' || c == '-' {
			s.state = sign
			return true, true
		}
		return true, digit
	case sign:
		s.state = power
		return true, digit
	}
	switch {
	case digit && s.state != zero:
		return true, true
	case c == '.' && (s.state == zero || s.state == digits):
		s.state = point
		return true, true
	case c|0x20 == 'e' && s.state != power:
		s.state = exponent
		return true, true
	}
	s.state = behind
	return false, true
}
