package strictjson

// number reads a number as RFC 8259 has it: no leading zero, no plus sign, digits on both sides of a point.
func (p *parser) number(text *string) bool {
	from := p.i
	if p.s[p.i] == '-' {
		p.i++
	}
	whole := p.i
	ok := p.digits() && (p.s[whole] != '0' || p.i == whole+1)
	if ok && p.at('.') {
		p.i++
		ok = p.digits()
	}
	if ok && (p.at('e') || p.at('E')) {
		p.i++
		if p.at('+') || p.at('-') {
			p.i++
		}
		ok = p.digits()
	}
	if !ok {
		return p.fail("this is no number")
	}
	*text = p.s[from:p.i]
	return true
}

func (p *parser) digits() bool {
	from := p.i
	for p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9' {
		p.i++
	}
	return p.i > from
}
