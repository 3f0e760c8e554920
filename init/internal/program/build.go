package program

import "errors"

// ErrFull is the error of a program that outgrew its memory.
var ErrFull = errors.New("program: more calls or data than fit; the policy is too large")

// A Program is a list of Ops and their data, stored in memory as it is built.
type Program struct {
	mem   []byte
	n     int // Ops
	data  int // end of the data in mem
	metas []meta
	spans []span // what Str, Bytes and Space laid out, for the printer
	layer string
	open  int // branches whose label has no place yet
	full  bool
}

type span struct{ from, to int }

// New builds a program in mem: [Size] bytes, all zero.
func New(mem []byte) *Program {
	return &Program{mem: mem, data: dataFrom, metas: make([]meta, 0, 512), spans: make([]span, 0, 512)}
}

// Layer sets the layer of the following Ops, and returns the layer before.
func (p *Program) Layer(name string) string {
	old := p.layer
	p.layer = name
	return old
}

// Full reports whether the program outgrew its memory. Such a program must not run.
func (p *Program) Full() bool { return p.full }

// Len is the number of Ops so far.
func (p *Program) Len() int { return p.n }

// Do applies: the call must succeed.
func (p *Program) Do(c Syscall) Op { return p.add(Apply, wantOK, Arg{}, c) }

// DoExactly applies: the call must return v.
func (p *Program) DoExactly(v Arg, c Syscall) Op {
	return p.add(Apply, wantEq, v, c)
}

// Try applies, with any result: the evidence depends on it.
func (p *Program) Try(c Syscall) Op { return p.add(Apply, wantAny, Arg{}, c) }

// Ask reads back: the call must succeed.
func (p *Program) Ask(c Syscall) Op { return p.add(Ask, wantOK, Arg{}, c) }

// AskFor reads back, or tries what must be refused: the call must return v, which may be an [Errno].
func (p *Program) AskFor(v Arg, c Syscall) Op {
	return p.add(Ask, wantEq, v, c)
}

// Observe reads back, with any result.
func (p *Program) Observe(c Syscall) Op { return p.add(Ask, wantAny, Arg{}, c) }

// Step is a call of the control flow: it must succeed.
func (p *Program) Step(c Syscall) Op { return p.add(Control, wantOK, Arg{}, c) }

// StepExactly is a call of the control flow: it must return v.
func (p *Program) StepExactly(v Arg, c Syscall) Op {
	return p.add(Control, wantEq, v, c)
}

// Call is a call of the control flow, with any result.
func (p *Program) Call(c Syscall) Op { return p.add(Control, wantAny, Arg{}, c) }

func (p *Program) add(class Class, want byte, v Arg, c Syscall) Op {
	o := p.next(class)
	at := p.at(o.i)
	m := &p.metas[o.i]
	p.mem[at+offKind] = kindCall
	p.mem[at+offWant] = want
	put32(p.mem, at+offNr, c.nr)
	m.nargs = c.n
	p.arg(at, m, offVal, 6, &v)
	for i := range c.args[:c.n] {
		p.arg(at, m, offArgs+8*i, i, &c.args[i])
	}
	return o
}

func (p *Program) next(c Class) Op {
	if p.n == MaxOps {
		p.full = true
		p.n-- // the last one is written over: the program will not run
		p.metas = p.metas[:p.n]
	}
	o := Op{p, p.n}
	p.n++
	p.metas = append(p.metas, meta{layer: p.layer, class: c, around: p.open > 0})
	put64(p.mem, p.at(o.i)+offRes, unset)
	return o
}

func (p *Program) at(i int) int { return header + i*opSize }

func (p *Program) arg(at int, m *meta, off, i int, a *Arg) {
	v := a.val
	switch a.kind {
	case argString:
		v = uint64(p.String(a.data))
		if m.object == "" {
			m.object = a.data
		}
	case argData:
		v = uint64(p.Data([]byte(a.data)))
	case argResult:
		v = uint64(Op{p, int(a.val)}.At())
		p.mem[at+offInd] |= 1 << i
	case argWord:
		p.mem[at+offInd] |= 1 << i
	}
	m.kinds[i] = a.kind
	put64(p.mem, at+off, v)
}

// A Label is an Op that branches lead to.
type Label struct {
	pos  uint64
	refs []int // Ops that wait for the place
}

func (p *Program) link(i int, l *Label) {
	if l.pos != 0 {
		put64(p.mem, p.at(i)+offAlt, l.pos)
		return
	}
	if p.mem[p.at(i)+offKind] == kindTest {
		p.open++
	}
	l.refs = append(l.refs, i)
}

// Bind sets l to the next Op.
func (p *Program) Bind(l *Label) {
	l.pos = uint64(Base + p.at(p.n))
	for _, i := range l.refs {
		put64(p.mem, p.at(i)+offAlt, l.pos)
		if p.mem[p.at(i)+offKind] == kindTest {
			p.open--
		}
	}
	l.refs = nil
}

// BranchUnless branches to l if the last result is not v.
func (p *Program) BranchUnless(v Arg, l *Label) {
	o := p.add(Control, wantEq, v, Syscall{})
	p.mem[p.at(o.i)+offKind] = kindTest
	p.link(o.i, l)
}

// BranchUnlessOK branches to l if the last result is an error.
func (p *Program) BranchUnlessOK(l *Label) {
	o := p.add(Control, wantOK, Arg{}, Syscall{})
	p.mem[p.at(o.i)+offKind] = kindTest
	p.link(o.i, l)
}

// Load makes v, mostly a [Word], the last result.
func (p *Program) Load(v Arg) Op { return p.value(kindLoad, v) }

// Negate makes -v the last result: kill(2) wants the number of a process group negated.
func (p *Program) Negate(v Arg) Op { return p.value(kindNeg, v) }

func (p *Program) value(kind byte, v Arg) Op {
	o := p.add(Control, wantAny, Arg{}, Sys(0, v))
	p.mem[p.at(o.i)+offKind] = kind
	return o
}

// Jump branches to l.
func (p *Program) Jump(l *Label) { p.BranchUnless(Int(unset), l) }
