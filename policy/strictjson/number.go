package strictjson

// number reads a number as RFC 8259 has it: no leading zero, no plus sign, digits on both sides of a point.
func (p *parser) number(text *string) bool {
	s := p.s[p.i:]
	i := 0
	skip := func(chars ...byte) bool { // one of them, if it is next
		for _, c := range chars {
			if i < len(s) && s[i] == c {
				i++
				return true
			}
		}
		return false
	}
	digits := func() bool {
		from := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > from
	}
	skip('-')
	whole := i
	ok := digits() && (s[whole] != '0' || i == whole+1)
	if ok && skip('.') {
		ok = digits()
	}
	if ok && skip('e', 'E') {
		skip('+', '-')
		ok = digits()
	}
	if p.i += i; !ok {
		return p.fail("this is no number")
	}
	*text = s[:i]
	return true
}
