package program

import (
	"errors"
	"os"
)

// ErrFull is the error of a program that outgrew its memory.
var ErrFull = errors.New("more calls or data than fit into a program: the policy names too much")

// A Builder adds Ops to a program.
type Builder struct {
	*Program
	*area
	layer string
	open  int // branches to labels without a place yet
}

// New builds a program in mem: [Size] bytes, all zero.
func New(mem []byte) *Builder {
	data := &area{whole: mem, end: dataFrom, spans: make([]span, 0, 512)}
	return &Builder{Program: &Program{mem: mem, data: data, metas: make([]meta, 0, 1024)}, area: data}
}

// Layer sets the layer of the following Ops.
func (b *Builder) Layer(name string) { b.layer = name }

// Full reports whether the program outgrew its memory. Such a program must not run.
func (b *Builder) Full() bool { return b.full }

// Do applies: the call must succeed.
func (b *Builder) Do(c Syscall) Op { return b.add(Apply, wantOK, c) }

// Try applies, with any result: the evidence depends on it.
func (b *Builder) Try(c Syscall) Op { return b.add(Apply, wantAny, c) }

// Ask reads back, or tries a call that must be refused: the call must succeed, or return the value of [Op.Returns].
func (b *Builder) Ask(c Syscall) Op { return b.add(Ask, wantOK, c) }

// Observe reads back, with any result.
func (b *Builder) Observe(c Syscall) Op { return b.add(Ask, wantAny, c) }

// Step is a call of the control flow that must succeed.
func (b *Builder) Step(c Syscall) Op { return b.add(Control, wantOK, c) }

// Call is a call of the control flow, with any result.
func (b *Builder) Call(c Syscall) Op { return b.add(Control, wantAny, c) }

func (b *Builder) add(class Class, want byte, c Syscall) Op {
	p := b.Program
	if p.n == MaxOps {
		b.full = true
		p.n-- // the last one is written over: the program will not run
		p.metas = p.metas[:p.n]
	}
	o := Op{p, p.n}
	p.n++
	p.metas = append(p.metas, meta{layer: b.layer, class: class, around: b.open > 0, nargs: c.n})
	at := o.offset()
	p.mem[at+offKind], p.mem[at+offWant] = kindCall, want
	put32(p.mem, at+offNr, c.nr)
	put64(p.mem, at+offRes, Unset)
	for i := range c.args[:c.n] {
		o.setArg(i, offArgs+8*i, &c.args[i])
	}
	return o
}

// Page has the next Op, and the next data, begin a page of memory that has nothing yet. The results
// are the two places that have all that, each as address and length in whole pages.
func Page(b *Builder) (ops, data [2]uint64) {
	end := whole(opAt(b.n))
	for opAt(b.n) < end {
		b.Load(Int(0))
	}
	if b.end = whole(b.end); b.end > len(b.whole) {
		b.full = true
	}
	return [2]uint64{Base, uint64(end)}, [2]uint64{Base + dataFrom, uint64(b.end - dataFrom)}
}

// whole is the end of the page in which n bytes end.
func whole(n int) int { return (n + page - 1) &^ (page - 1) }

// page is the machine's: the kernel rounds the length of what it unmaps or gives back up to whole pages.
var page = os.Getpagesize()

// A Place is the end of the Ops and of the data so far.
type Place struct{ ops, data int }

// Mark is the place of the next Op, and of the next data.
func Mark(b *Builder) Place { return Place{opAt(b.n), b.end} }

// A Label is an Op that branches lead to.
type Label struct {
	pos  uint64
	refs []int // Ops that wait for the place
}

// Bind sets l to the next Op.
func (b *Builder) Bind(l *Label) {
	l.pos = uint64(Base + opAt(b.n))
	for _, i := range l.refs {
		put64(b.mem, opAt(i)+offAlt, l.pos)
		if b.mem[opAt(i)+offKind] == kindTest {
			b.open--
		}
	}
	l.refs = nil
}

// BranchUnless branches to l if the last result is not v.
func (b *Builder) BranchUnless(v Arg, l *Label) { branch(b, wantAny, l).Returns(v) }

// BranchUnlessOK branches to l if the last result is an error.
func (b *Builder) BranchUnlessOK(l *Label) { branch(b, wantOK, l) }

// Jump branches to l.
func (b *Builder) Jump(l *Label) { b.BranchUnless(Int(Unset), l) }

func branch(b *Builder, want byte, l *Label) Op {
	o := b.add(Control, want, Syscall{})
	b.mem[o.offset()+offKind] = kindTest
	if l.pos == 0 {
		b.open++
	}
	return o.Else(l)
}

// Load makes v, mostly a [Word], the last result.
func (b *Builder) Load(v Arg) Op { return value(b, kindLoad, v) }

// Negate makes -v the last result: kill(2) wants the number of a process group negated.
func (b *Builder) Negate(v Arg) Op { return value(b, kindNeg, v) }

func value(b *Builder, kind byte, v Arg) Op {
	o := b.add(Control, wantAny, Sys(0, v))
	b.mem[o.offset()+offKind] = kind
	return o
}
