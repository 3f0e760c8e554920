package program

import "syscall"

const (
	// Base is the address at which the runner maps a program, the same in every process.
	Base = 0x10000000
	// Size of a program in bytes: a sparse file, of which a launch touches some twenty pages.
	Size = 8 << 20
	// Broken is the exit status of a runner after a call that did not meet its demand and had no label.
	Broken = 99

	// MaxOps is how many Ops a program can have.
	MaxOps = (dataFrom - header) / opSize

	header   = 64
	opSize   = 88
	dataFrom = 1 << 20

	// Unset is stored as the result of an Op before it runs. No system call returns it.
	Unset = uint64(1 << 63)
)

// Offsets of the fields of one Op in memory. The runners in assembly use the same numbers.
const (
	offKind   = 0
	offInd    = 1 // bit i: argument i, or the demanded value, is the address of its value
	offWant   = 2
	offParent = 3 // 1: only the parent of a clone stores the result
	offNr     = 4
	offVal    = 8
	offArgs   = 16
	offRes    = 64
	offAlt    = 72 // where to go on if the demand is not met; 0: end
	offOut    = 80 // where to store the low 32 bits of the result as well; 0: nowhere
)

// Kinds. Memory that nothing was laid out in is all zero, so a program that runs past its last Op is Broken.
const (
	kindEnd  = 0
	kindCall = 1
	kindTest = 2 // no call: test the last result again
	kindLoad = 3 // no call: the result is the first argument
	kindNeg  = 4 // no call: the result is the first argument, negated
)

const (
	wantAny = 0
	wantOK  = 1
	wantEq  = 2

	demanded = 6 // the number of the demanded value, behind those of the arguments
)

// Class is the purpose of an Op. Tests remove every Apply in turn, and the launch must then be refused.
type Class uint8

const (
	Control Class = iota // moves the program along: waits, branches, the loop
	Apply                // changes the state of the process
	Ask                  // reads back, or tries a call that must be refused
)

// An Op is a handle to one call of a [Program].
type Op struct {
	p *Program
	i int
}

// meta is the part of an Op that the runner does not need.
type meta struct {
	layer  string
	object string
	class  Class
	around bool // a branch may lead around it
	nargs  uint8
	kinds  [7]argKind // of the arguments and of the demanded value
}

// opAt is where the Op at i lies in the memory.
func opAt(i int) int { return header + i*opSize }

func (o Op) offset() int { return opAt(o.i) }

// setArg stores an argument of the call, or the demanded value, at an offset in the Op. Its kind is the one at i.
func (o Op) setArg(i, off int, a *Arg) {
	p, at, v := o.p, o.offset(), a.val
	m := &p.metas[o.i]
	switch a.kind {
	case argString:
		v = uint64(p.data.String(a.data))
		if m.object == "" {
			m.object = a.data
		}
	case argData:
		v = uint64(p.data.Data([]byte(a.data)))
	case argResult:
		v = uint64(Op{p, int(a.val)}.At())
		p.mem[at+offInd] |= 1 << i
	case argWord:
		p.mem[at+offInd] |= 1 << i
	}
	m.kinds[i] = a.kind
	put64(p.mem, at+off, v)
}

// Returns demands that the call returns v, which may be an [Errno].
func (o Op) Returns(v Arg) Op {
	o.p.mem[o.offset()+offWant] = wantEq
	o.setArg(demanded, offVal, &v)
	return o
}

// Result is the result of the Op, as an argument of a later Op.
func (o Op) Result() Arg { return Arg{kind: argResult, val: uint64(o.i)} }

// At is the address where the result is stored.
func (o Op) At() Addr { return Addr(Base + o.offset() + offRes) }

// Index is the number of the Op in the program.
func (o Op) Index() int { return o.i }

// For names the object of the call for error messages. Without it the first string argument is the object.
func (o Op) For(object string) Op { o.p.metas[o.i].object = object; return o }

// Else branches to l where the demand is not met.
func (o Op) Else(l *Label) Op {
	if l.pos == 0 {
		l.refs = append(l.refs, o.i)
	}
	put64(o.p.mem, o.offset()+offAlt, l.pos)
	return o
}

// Fork marks a call that returns twice: only the parent stores the result.
func (o Op) Fork() Op { o.p.mem[o.offset()+offParent] = 1; return o }

// StoreAt also stores the low 32 bits of the result at a: a descriptor in the middle of a struct.
func (o Op) StoreAt(a Addr) Op { put64(o.p.mem, o.offset()+offOut, uint64(a)); return o }

// Errno demands that a call fails with e.
func Errno(e syscall.Errno) Arg { return Arg{kind: argErrno, val: -uint64(e)} }
