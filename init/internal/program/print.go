package program

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/seccomp"
)

// Line is the Op at i as text: its layer, the call with its arguments, the demand and, with r given, the
// result.
func (p *Program) Line(i int, r *Results) string {
	at, m := p.at(i), &p.metas[i]
	b := make([]byte, 0, 160)
	b = strconv.AppendInt(b, int64(i), 10)
	for len(b) < 5 {
		b = append(b, ' ')
	}
	b = append(b, m.layer...)
	for len(b) < 18 {
		b = append(b, ' ')
	}
	if p.mem[at+offKind] == kindTest {
		b = append(b, "unless the last result"...)
	} else {
		b = append(b, p.verb(at)...)
		b = append(b, '(')
		for a := 0; a < int(m.nargs); a++ {
			if a > 0 {
				b = append(b, ", "...)
			}
			b = p.operand(b, m.kinds[a], get64(p.mem, at+offArgs+8*a))
		}
		b = append(b, ')')
	}
	switch p.mem[at+offWant] {
	case wantOK:
		b = append(b, " succeeds"...)
	case wantEq:
		if v := get64(p.mem, at+offVal); v == unset {
			b = append(b, " is impossible"...)
		} else {
			b = append(b, " = "...)
			b = p.operand(b, m.kinds[6], v)
		}
	}
	if alt := get64(p.mem, at+offAlt); alt != 0 {
		b = append(b, ", else go to "...)
		b = strconv.AppendUint(b, (alt-Base-header)/opSize, 10)
	}
	if r != nil && p.mem[at+offKind] != kindTest {
		b = append(b, "  -> "...)
		if !r.Ran(Op{p, i}) {
			b = append(b, "not reached"...)
		} else {
			b = strconv.AppendInt(b, r.Value(Op{p, i}), 10)
		}
	}
	return string(b)
}

// verb is the name of the system call of the Op at an offset, or of what the runner does in its place.
func (p *Program) verb(at int) string {
	switch p.mem[at+offKind] {
	case kindLoad:
		return "load"
	case kindNeg:
		return "negate"
	}
	return seccomp.Name(get32(p.mem, at+offNr))
}

func (p *Program) operand(b []byte, k argKind, v uint64) []byte {
	switch k {
	case argString:
		return strconv.AppendQuote(b, p.cString(Addr(v)))
	case argData:
		return p.words(b, Addr(v))
	case argAddr:
		if v < Base {
			return number(b, v)
		}
		return strconv.AppendUint(append(b, '&'), v-Base, 16)
	case argResult:
		return strconv.AppendUint(append(b, '#'), (v-Base-header-offRes)/opSize, 10)
	case argWord:
		if i := (v - Base - header - offRes); v < Base+dataFrom && i%opSize == 0 {
			return strconv.AppendUint(append(b, '#'), i/opSize, 10)
		}
		return strconv.AppendUint(append(b, '*'), v-Base, 16)
	case argErrno:
		return append(b, errnoName(-v)...)
	}
	return number(b, v)
}

func number(b []byte, v uint64) []byte {
	if n := int64(v); n < 0 && n > -4096 || v < 4096 {
		return strconv.AppendInt(b, n, 10)
	}
	return strconv.AppendUint(append(b, "0x"...), v, 16)
}

// cString is the text at a. Once the server runs, an address read from the memory is a claim of a foreign
// process, and may lead nowhere.
func (p *Program) cString(a Addr) string {
	if a < Base || a-Base > Addr(len(p.mem)) {
		return ""
	}
	from := int(a - Base)
	to := from
	for to < len(p.mem) && p.mem[to] != 0 {
		to++
	}
	return string(p.mem[from:to])
}

// words prints the data of an argument, at most eight words.
func (p *Program) words(b []byte, a Addr) []byte {
	from := int(a - Base)
	to := from
	for _, s := range p.spans {
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
		b = number(b, get64(p.mem, i))
	}
	return append(b, '}')
}
