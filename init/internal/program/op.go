package program

import "syscall"

const (
	// Base is the address at which the runner maps a program, the same in every process.
	Base = 0x10000000
	// Size of a program in bytes: a sparse file, of which a launch touches some twenty pages.
	Size = 8 << 20
	// Broken is the exit status of a runner whose call did not give what was demanded and had no label to go to.
	Broken = 99

	// MaxOps is how many Ops a program can have.
	MaxOps = (dataFrom - header) / opSize

	header   = 64
	opSize   = 88
	dataFrom = 1 << 20

	// unset is stored as the result of an Op before it runs. No system call returns it.
	unset = uint64(1 << 63)
)

// Offsets of the fields of one Op in memory. The runners in assembly use the same numbers.
const (
	offKind   = 0
	offInd    = 1 // bit i: argument i is the address of its value; bit 6: the demanded value is
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
)

// Class is the purpose of an Op. Tests remove every Apply in turn, and the launch must then be refused.
type Class uint8

const (
	Control Class = iota // moves the program along: waits, branches, the loop
	Apply                // changes what holds for the process
	Ask                  // reads back, or tries what must be refused
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
	kinds  [7]argKind // of the arguments; 6: of the demanded value
}

// Result is the result of the Op, as an argument of a later Op.
func (o Op) Result() Arg { return Arg{kind: argResult, val: uint64(o.i)} }

// At is the address where the result is stored.
func (o Op) At() Addr { return Addr(Base + header + o.i*opSize + offRes) }

// Index is the number of the Op in the program.
func (o Op) Index() int { return o.i }

// For names the object of the call for error messages. Without it the first string argument is the object.
func (o Op) For(object string) Op { o.p.metas[o.i].object = object; return o }

// Else branches to l where the demand is not met.
func (o Op) Else(l *Label) Op { o.p.link(o.i, l); return o }

// Fork marks a call that returns twice: only the parent stores the result.
func (o Op) Fork() Op { o.p.mem[o.p.at(o.i)+offParent] = 1; return o }

// StoreAt also stores the low 32 bits of the result at a: a descriptor in the middle of a struct.
func (o Op) StoreAt(a Addr) Op { put64(o.p.mem, o.p.at(o.i)+offOut, uint64(a)); return o }

// Errno demands that a call fails with e.
func Errno(e syscall.Errno) Arg { return Arg{kind: argErrno, val: -uint64(e)} }
