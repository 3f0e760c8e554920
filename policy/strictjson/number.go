package strictjson

import "strings"

// number reads a number as RFC 8259 has it: no leading zero, no plus sign, digits on both sides of a point.
func (p *parser) number(text *string) bool {
	s := p.s[p.i:]
	i := 0
	skip := func(chars string) bool { // one of them, if it is next
		is := i < len(s) && strings.IndexByte(chars, s[i]) >= 0
		if is {
			i++
		}
		return is
	}
	digits := func() bool {
		from := i
		for skip("0123456789") {
		}
		return i > from
	}
	skip("-")
	whole := i
	ok := digits() && (s[whole] != '0' || i == whole+1)
	if ok && skip(".") {
		ok = digits()
	}
	if ok && skip("eE") {
		skip("+-")
		ok = digits()
	}
	if p.i += i; !ok {
		return p.fail("this is no number")
	}
	*text = s[:i]
	return true
}
