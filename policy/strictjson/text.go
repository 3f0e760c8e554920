package strictjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string; the next byte is its quote. Without escapes the text is a part of the document, not a copy.
func (p *parser) text(text *string) bool {
	p.i++
	from := p.i
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '"':
			*text = p.s[from:p.i]
			p.i++
			return true
		case c == '\\':
			return p.escaped(text, from)
		case c < ' ':
			return p.fail("a control character in a string must be escaped")
		case c < utf8.RuneSelf:
			p.i++
		default:
			if !p.rune() {
				return false
			}
		}
	}
	return p.unexpected("the end of a string")
}

// rune passes over one character that is not ASCII.
func (p *parser) rune() bool {
	r, n := utf8.DecodeRuneInString(p.s[p.i:])
	if r == utf8.RuneError && n == 1 {
		return p.fail("the document is not UTF-8")
	}
	p.i += n
	return true
}

// escaped is text from the first escape on.
func (p *parser) escaped(text *string, from int) bool {
	b := append(make([]byte, 0, p.i-from+64), p.s[from:p.i]...)
	for p.i < len(p.s) {
		start := p.i
		switch c := p.s[p.i]; {
		case c == '"':
			*text = string(b)
			p.i++
			return true
		case c == '\\':
			r, ok := p.escape()
			if !ok {
				return false
			}
			b = utf8.AppendRune(b, r)
			continue
		case c < ' ':
			return p.fail("a control character in a string must be escaped")
		case c < utf8.RuneSelf:
			p.i++
		default:
			if !p.rune() {
				return false
			}
		}
		b = append(b, p.s[start:p.i]...)
	}
	return p.unexpected("the end of a string")
}

// escape reads one escape, or the two that make a surrogate pair.
func (p *parser) escape() (rune, bool) {
	if p.i+1 >= len(p.s) {
		p.i = len(p.s)
		return 0, p.unexpected("the end of a string")
	}
	switch c := p.s[p.i+1]; c {
	case '"', '\\', '/':
		p.i += 2
		return rune(c), true
	case 'b':
		p.i += 2
		return '\b', true
	case 'f':
		p.i += 2
		return '\f', true
	case 'n':
		p.i += 2
		return '\n', true
	case 'r':
		p.i += 2
		return '\r', true
	case 't':
		p.i += 2
		return '\t', true
	case 'u':
		return p.unicode()
	}
	return 0, p.fail("an escape that JSON does not have")
}

func (p *parser) unicode() (rune, bool) {
	r, ok := p.hex(p.i)
	switch {
	case !ok:
		return 0, p.fail(`\u needs four hexadecimal digits`)
	case r == 0:
		p.i += 6
		return utf8.RuneError, p.note("U+0000 in a string")
	case !utf16.IsSurrogate(r):
		p.i += 6
		return r, true
	}
	low, _ := p.hex(p.i + 6)
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, p.fail("half of a surrogate pair")
	}
	p.i += 12
	return r, true
}

// hex reads the \uXXXX at i.
func (p *parser) hex(i int) (r rune, ok bool) {
	if i+6 > len(p.s) || p.s[i] != '\\' || p.s[i+1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(p.s[i+2 : i+6]) {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
