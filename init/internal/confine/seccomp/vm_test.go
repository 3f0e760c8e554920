package seccomp

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
)

// A data is struct seccomp_data without the instruction pointer.
type data struct {
	arch, number uint32
	args         [6]uint64
}

// word is what a 32-bit load at offset finds on a little-endian machine.
func (d *data) word(offset uint32) (uint32, bool) {
	switch {
	case offset == 0:
		return d.number, true
	case offset == 4:
		return d.arch, true
	case offset >= 16 && offset < 64 && offset%4 == 0:
		return uint32(d.args[(offset-16)/8] >> (8 * (offset % 8))), true
	}
	return 0, false
}

// broken is what execute returns for a program the kernel would not take; no filter returns it.
const broken = 0xdeadbeef

// execute runs a program as the kernel does and counts instructions.
func execute(program []Instruction, d *data) (result uint32, steps int) {
	var acc uint32
	for pc := 0; pc < len(program); {
		i := program[pc]
		pc++
		steps++
		taken := false
		switch i.Code {
		case 0x20:
			var ok bool
			if acc, ok = d.word(i.K); !ok {
				return broken, steps
			}
			continue
		case 0x06:
			return i.K, steps
		case 0x05:
			pc += int(i.K)
			continue
		case 0x15:
			taken = acc == i.K
		case 0x25:
			taken = acc > i.K
		case 0x35:
			taken = acc >= i.K
		case 0x45:
			taken = acc&i.K != 0
		default:
			return broken, steps
		}
		if taken {
			pc += int(i.JT)
		} else {
			pc += int(i.JF)
		}
	}
	return broken, steps
}

// A reference is golang.org/x/net/bpf's interpreter, which knows nothing of this package. It loads big-endian, so
// each word of the record is stored that way round at the place where a little-endian kernel has it.
type reference struct {
	vm     *bpf.VM
	packet [64]byte
}

func newReference(t testing.TB, program []Instruction) *reference {
	t.Helper()
	raw := make([]bpf.RawInstruction, len(program))
	for n, i := range program {
		raw[n] = bpf.RawInstruction{Op: i.Code, Jt: i.JT, Jf: i.JF, K: i.K}
	}
	decoded, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal("program holds an instruction that golang.org/x/net/bpf does not know")
	}
	vm, err := bpf.NewVM(decoded)
	if err != nil {
		t.Fatal(err)
	}
	return &reference{vm: vm}
}

func (r *reference) run(t testing.TB, d *data) uint32 {
	t.Helper()
	for offset := uint32(0); offset < 64; offset += 4 {
		w, _ := d.word(offset)
		binary.BigEndian.PutUint32(r.packet[offset:], w)
	}
	result, err := r.vm.Run(r.packet[:])
	if err != nil {
		t.Fatal(err)
	}
	return uint32(result)
}

// mustProgram is Program for tests where it has to succeed.
func mustProgram(t testing.TB, arch string, o Options) []Instruction {
	t.Helper()
	program, err := Program(arch, o)
	if err != nil {
		t.Fatal(err)
	}
	return program
}
