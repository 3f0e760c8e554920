package program

import "errors"

// runner is never called: its code is copied out of this binary's text, behind an ELF header.
func runner()

// entry returns the address of the runner's first instruction.
func entry() *byte

// endMark is stored behind the runner's last instruction, in the same symbol, which no linker divides.
const endMark = 0x52454e4e55526e64

// maxCode is more than the size of the runner. Without the mark within it, entry does not lead to the runner.
const maxCode = 2048

// ELF is the runner as a static executable for this architecture.
func ELF() ([]byte, error) {
	code := text()
	if code == nil {
		return nil, errors.New("runner: its code is not where this binary's symbol says")
	}
	return elfFile(machine, code), nil
}

// elfFile puts a header in front of code: one read-execute segment, and a stack that is not executable. elf(5).
func elfFile(machine uint16, code []byte) []byte {
	const va, head, ph = 0x400000, 64 + 2*56, 64
	b := make([]byte, head, head+len(code))
	copy(b, "\x7fELF\x02\x01\x01")
	put16 := func(at int, v uint16) { b[at], b[at+1] = byte(v), byte(v>>8) }
	put16(16, 2) // ET_EXEC
	put16(18, machine)
	put32(b, 20, 1)
	put64(b, 24, va+head) // entry
	put64(b, 32, ph)
	put16(52, 64)
	put16(54, 56)
	put16(56, 2)
	size := uint64(head + len(code))
	put32(b, ph, 1)   // PT_LOAD
	put32(b, ph+4, 5) // read, execute
	put64(b, ph+16, va)
	put64(b, ph+24, va)
	put64(b, ph+32, size)
	put64(b, ph+40, size)
	put64(b, ph+48, 4096)
	put32(b, ph+56, 0x6474e551) // PT_GNU_STACK
	put32(b, ph+60, 6)          // read, write
	put64(b, ph+56+48, 16)
	return append(b, code...)
}
