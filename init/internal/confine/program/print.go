package program

import (
	"strconv"
)

// Line is the Op at i as text: its layer, the call with its arguments, the demand and, with r given, the result.
func (p *Program) Line(i int, r *Results) string {
	at, m := opAt(i), &p.metas[i]
	test := p.mem[at+offKind] == kindTest
	b := strconv.AppendInt(make([]byte, 0, 160), int64(i), 10)
	b = padTo(b, 5)
	b = padTo(append(b, m.layer...), 18)
	switch p.mem[at+offKind] {
	case kindTest:
		b = append(b, "unless the last result"...)
	case kindLoad:
		b = append(b, "load"...)
	case kindNeg:
		b = append(b, "negate"...)
	default:
		b = append(b, p.Called(i)...)
	}
	if !test {
		b = appendArgs(b, p, i)
	}
	switch v := get64(p.mem, at+offVal); {
	case p.mem[at+offWant] == wantOK:
		b = append(b, " succeeds"...)
	case p.mem[at+offWant] == wantEq && v == Unset:
		b = append(b, " is impossible"...)
	case p.mem[at+offWant] == wantEq:
		b = appendOperand(append(b, " = "...), p.data, m.kinds[demanded], v)
	}
	if alt := get64(p.mem, at+offAlt); alt != 0 {
		b = append(b, ", else go to "...)
		b = strconv.AppendUint(b, (alt-Base-header)/opSize, 10)
	}
	switch o := (Op{p, i}); {
	case r == nil || test:
	case !r.Ran(o):
		b = append(b, "  -> not reached"...)
	default:
		b = strconv.AppendInt(append(b, "  -> "...), r.Value(o), 10)
	}
	return string(b)
}

func padTo(b []byte, column int) []byte {
	for len(b) < column {
		b = append(b, ' ')
	}
	return b
}

// appendArgs prints the arguments of the Op at i.
func appendArgs(b []byte, p *Program, i int) []byte {
	m := &p.metas[i]
	b = append(b, '(')
	for a := range int(m.nargs) {
		if a > 0 {
			b = append(b, ", "...)
		}
		b = appendOperand(b, p.data, m.kinds[a], p.Arg(i, a))
	}
	return append(b, ')')
}

// appendOperand prints one argument, or the demanded value.
func appendOperand(b []byte, d *area, k argKind, v uint64) []byte {
	result := v - Base - header - offRes // where a result lies behind that of the first Op
	switch k {
	case argString:
		return strconv.AppendQuote(b, d.cString(Addr(v)))
	case argData:
		return appendWords(b, d, Addr(v))
	case argAddr:
		if v < Base {
			return appendNumber(b, v)
		}
		return strconv.AppendUint(append(b, '&'), v-Base, 16)
	case argResult:
		return strconv.AppendUint(append(b, '#'), result/opSize, 10)
	case argWord:
		if v < Base+dataFrom && result%opSize == 0 {
			return strconv.AppendUint(append(b, '#'), result/opSize, 10)
		}
		return strconv.AppendUint(append(b, '*'), v-Base, 16)
	case argErrno:
		return append(b, errnoName(-v)...)
	}
	return appendNumber(b, v)
}

func appendNumber(b []byte, v uint64) []byte {
	if n := int64(v); n < 0 && n > -4096 || v < 4096 {
		return strconv.AppendInt(b, n, 10)
	}
	return strconv.AppendUint(append(b, "0x"...), v, 16)
}

// appendWords prints the data of an argument, at most eight words.
func appendWords(b []byte, d *area, a Addr) []byte {
	from := int(a - Base)
	to := from
	for _, s := range d.spans {
		if s.from == from {
			to = s.to
			break
		}
	}
	b = append(b, '{')
	for i := from; i+8 <= to; i += 8 {
		if i > from {
			b = append(b, ", "...)
		}
		if i-from == 64 {
			b = append(b, "... "...)
			b = strconv.AppendInt(b, int64(to-from), 10)
			b = append(b, " bytes"...)
			break
		}
		b = appendNumber(b, get64(d.whole, i))
	}
	return append(b, '}')
}
