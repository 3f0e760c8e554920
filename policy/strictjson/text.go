package strictjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string; the next byte is its quote. Without escapes the text is a part of the document, not a copy.
func (p *parser) text(text *string) bool {
	p.i++
	var unescaped []byte // the text up to from, if it has an escape
	from := p.i
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '"':
			*text = p.s[from:p.i]
			if unescaped != nil {
				*text = string(append(unescaped, *text...))
			}
			p.i++
			return true
		case c == '\\':
			unescaped = append(unescaped, p.s[from:p.i]...)
			r, ok := p.escape()
			if !ok {
				return false
			}
			unescaped = utf8.AppendRune(unescaped, r)
			from = p.i
		case c < ' ':
			return p.fail("a control character in a string must be escaped")
		default:
			r, n := utf8.DecodeRuneInString(p.s[p.i:])
			if r == utf8.RuneError && n == 1 {
				return p.fail("the document is not UTF-8")
			}
			p.i += n
		}
	}
	return p.unexpected("the end of a string")
}

// escape reads one escape, or the two that make a surrogate pair.
func (p *parser) escape() (rune, bool) {
	if p.i+1 >= len(p.s) {
		p.i = len(p.s)
		return 0, p.unexpected("the end of a string")
	}
	c := p.s[p.i+1]
	if c == 'u' {
		return p.unicode()
	}
	i := strings.IndexByte(`"\/bfnrt`, c)
	if i < 0 {
		return 0, p.fail("an escape that JSON does not have")
	}
	p.i += 2
	return rune("\"\\/\b\f\n\r\t"[i]), true
}

func (p *parser) unicode() (rune, bool) {
	r, ok := hex(p.s[p.i:])
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
	low, _ := hex(p.s[p.i+6:])
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, p.fail("half of a surrogate pair")
	}
	p.i += 12
	return r, true
}

// hex is the number of the \uXXXX with which s begins.
func hex(s string) (r rune, ok bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
