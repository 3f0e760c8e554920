package guard

// A scanner reads one line as JSON, a byte at a time, and only for the marks of a message. A scanner keeps no text.
type scanner struct {
	state  state
	after  state // of a string: the state behind it
	depth  int
	object [maxDepth/64 + 1]uint64 // bit i: an object was opened at depth i, and no array
	base   int                     // the depth at which messages lie: 1, or 2 in a batch
	count  int                     // messages so far
	member bool                    // the next value is that of "jsonrpc" of a message
	found  bool                    // the message has its "jsonrpc":"2.0"
	word   string                  // the rest of true, false or null; of a string: the rest of the text to compare with
	same   bool                    // the string equals that text so far
	hex    uint8                   // digits that \u still needs
}

// maxDepth is how deep arrays and objects may lie in each other: as deep as Go's parser takes them.
const maxDepth = 10000

type state uint8

const (
	value      state = iota // a value has to come
	valueOrEnd              // a value, or the end of an array
	key                     // a name
	keyOrEnd                // a name, or the end of an object
	colon                   // the colon behind a name
	behind                  // behind a value: a comma or an end
	text                    // in a string
	escape                  // behind a backslash
	unicode                 // in \uXXXX
	literal                 // in true, false, null
	minus                   // behind a minus: a digit
	zero                    // behind a leading zero
	digits                  // in a whole number
	point                   // behind a point: a digit
	fraction                // behind it: more digits
	exponent                // behind an e: a sign or a digit
	sign                    // behind that sign: a digit
	power                   // in the digits of an exponent
)

// message reports whether the line so far is a whole message.
func (s *scanner) message() bool { return s.state == behind && s.depth == 0 && s.count > 0 }

// take reads more of the line, and reports whether the line can still become a message.
func (s *scanner) take(b []byte) bool {
	for i := 0; i < len(b); i++ {
		c := b[i]
		if s.state == text && !s.same && c >= ' ' && c != '"' && c != '\\' {
			continue // most bytes of a message
		}
		if !s.next(c) {
			return false
		}
	}
	return true
}

func (s *scanner) next(c byte) bool {
	switch s.state {
	case text:
		return s.inText(c)
	case escape:
		return s.escaped(c)
	case unicode:
		if s.hex--; s.hex == 0 {
			s.state = text
		}
		return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
	case literal:
		ok := c == s.word[0]
		if s.word = s.word[1:]; s.word == "" {
			s.state = behind
		}
		return ok
	}
	if s.state >= minus {
		if more, ok := s.number(c); more || !ok {
			return ok
		}
	}
	if c == ' ' || c == '\t' || c == '\r' {
		return true
	}
	switch s.state {
	case value, valueOrEnd:
		if c == ']' && s.state == valueOrEnd {
			return s.shut(false)
		}
		return s.begin(c)
	case key, keyOrEnd:
		if c == '}' && s.state == keyOrEnd {
			return s.shut(true)
		}
		s.string("jsonrpc", colon)
		return c == '"'
	case colon:
		s.state = value
		return c == ':'
	}
	return s.behind(c)
}

// begin is the first byte of a value.
func (s *scanner) begin(c byte) bool {
	if s.depth == 0 && c != '{' && c != '[' || s.depth == 1 && s.base == 2 && c != '{' {
		return false // neither an object nor a batch of them
	}
	if s.member && c != '"' {
		return false
	}
	switch {
	case c == '{' || c == '[':
		return s.open(c == '{')
	case c == '"':
		s.string("2.0", behind)
	case c == '-':
		s.state = minus
	case c == '0':
		s.state = zero
	case '1' <= c && c <= '9':
		s.state = digits
	case c == 't':
		s.state, s.word = literal, "rue"
	case c == 'f':
		s.state, s.word = literal, "alse"
	case c == 'n':
		s.state, s.word = literal, "ull"
	default:
		return false
	}
	return true
}

func (s *scanner) behind(c byte) bool {
	switch {
	case s.depth == 0:
		return false // data behind the message
	case c == ',' && s.inObject():
		s.state = key
	case c == ',':
		s.state = value
	case c == '}':
		return s.shut(true)
	case c == ']':
		return s.shut(false)
	default:
		return false
	}
	return true
}
