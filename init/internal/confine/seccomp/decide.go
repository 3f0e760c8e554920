package seccomp

import (
	"errors"
	"slices"
)

// A Verdict has the results that a filter can have for a call, whatever its arguments are.
type Verdict struct {
	Allows   bool     // with some arguments at least; also by the listener's answer, Options.Egress
	Refusals int      // ways to a refusal, each with other arguments
	Errnos   []uint16 // of the refusals, ascending; 0 is a call that does nothing and succeeds
	Traced   bool     // execve, once: [Options.OneExec]
}

// Decide follows every way of the filter's program that a call of this number can take. The program is that of
// [Program]: no second table is asked.
func Decide(arch string, o Options, number uint32) (Verdict, error) {
	program, err := Program(arch, o)
	if err != nil {
		return Verdict{}, err
	}
	audit := uint32(auditAMD64)
	if arch == "arm64" {
		audit = auditARM64
	}
	w := walk{program: program, number: number, audit: audit}
	w.from(0, accumulator{})
	if w.broken {
		return Verdict{}, errors.New("filter " + arch + ": an instruction that the assembler does not write")
	}
	slices.Sort(w.verdict.Errnos)
	w.verdict.Errnos = slices.Compact(w.verdict.Errnos)
	return w.verdict, nil
}

// An accumulator is a value, or anything that an argument can be.
type accumulator struct {
	value uint32
	known bool
}

type walk struct {
	program       []Instruction
	number, audit uint32
	verdict       Verdict
	broken        bool
}

// from follows the program to its returns. Jumps lead forward alone, so each way ends.
func (w *walk) from(pc int, acc accumulator) {
	for pc < len(w.program) && !w.broken {
		i := w.program[pc]
		pc++
		var taken bool
		switch i.Code {
		case opLoad:
			acc = w.load(i.K)
			continue
		case opReturn:
			w.end(i.K)
			return
		case opJump:
			pc += int(i.K)
			continue
		case opEqual:
			taken = acc.value == i.K
		case opAbove:
			taken = acc.value > i.K
		case opFrom:
			taken = acc.value >= i.K
		case opBits:
			taken = acc.value&i.K != 0
		default:
			w.broken = true
			return
		}
		switch {
		case !acc.known:
			w.from(pc+int(i.JT), acc)
			pc += int(i.JF)
		case taken:
			pc += int(i.JT)
		default:
			pc += int(i.JF)
		}
	}
	w.broken = true
}

func (w *walk) load(offset uint32) accumulator {
	switch offset {
	case offNumber:
		return accumulator{w.number, true}
	case offArch:
		return accumulator{w.audit, true}
	}
	return accumulator{}
}

func (w *walk) end(action uint32) {
	v := &w.verdict
	if action == retAllow || action == retServe {
		v.Allows = true
		return
	}
	v.Refusals++
	switch {
	case action == retTrace: // without a tracer ENOSYS
		v.Traced = true
	case action == retNotify: // the listener answers EPERM
		v.Errnos = append(v.Errnos, retPerm&0xffff)
	case action&^0xffff == retErrno:
		v.Errnos = append(v.Errnos, uint16(action&0xffff))
	}
}
