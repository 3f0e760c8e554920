package program

// Space reserves n zero bytes, aligned to a word, for a call to fill.
func (p *Program) Space(n int) Addr {
	at := (p.data + 7) &^ 7
	if n < 0 {
		panic("program: a negative size")
	}
	if n > len(p.mem)-at {
		p.full = true
		return Base + dataFrom
	}
	p.data = at + n
	p.spans = append(p.spans, span{at, p.data})
	return Addr(Base + at)
}

// Data copies b into the program.
func (p *Program) Data(b []byte) Addr {
	a := p.Space(len(b))
	if !p.full {
		copy(p.mem[a-Base:], b)
	}
	return a
}

// String copies s into the program, with a NUL behind it.
func (p *Program) String(s string) Addr {
	a := p.Space(len(s) + 1)
	if !p.full {
		copy(p.mem[a-Base:], s)
	}
	return a
}

// Strings copies s and the NULL-terminated array of pointers to the copies, as execve takes it.
func (p *Program) Strings(s []string) Addr {
	w := make([]uint64, len(s)+1)
	for i, v := range s {
		w[i] = uint64(p.String(v))
	}
	return p.Data(Raw(w...))
}

// Put stores a word at a before the program runs. In a full program a may have no memory.
func (p *Program) Put(a Addr, v uint64) {
	if !p.full {
		put64(p.mem, int(a-Base), v)
	}
}
