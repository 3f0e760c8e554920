package guard

// string is the beginning of a name or a text, which is compared with word where "jsonrpc" or its value may
// stand. A string with an escape is taken to differ: no encoder escapes "jsonrpc".
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
	next := afterDigit[s.state]
	whole := next == s.state // the number may end here
	switch {
	case s.state == minus && c == '0':
		s.state = zero
	case '0' <= c && c <= '9' && s.state != zero:
		s.state = next
	case c == '.' && (s.state == zero || s.state == digits):
		s.state = point
	case c|0x20 == 'e' && whole && s.state != power:
		s.state = exponent
	case (c == '+' || c == '-') && s.state == exponent:
		s.state = sign
	default:
		s.state = behind
		return false, whole
	}
	return true, true
}

// afterDigit is the state behind a digit of a number. Behind a leading zero there is none.
var afterDigit = [...]state{minus: digits, zero: zero, digits: digits, point: fraction, fraction: fraction,
	exponent: power, sign: power, power: power}
