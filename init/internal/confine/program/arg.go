package program

import "encoding/binary"

// An Addr is an address inside a program, as the runner maps it.
type Addr uint64

// Plus is the address n bytes behind a.
func (a Addr) Plus(n int) Addr { return a + Addr(n) }

type argKind uint8

const (
	argInt argKind = iota
	argString
	argData
	argAddr
	argResult
	argWord
	argErrno
)

// An Arg is an argument of a system call, or the value that the call has to return.
type Arg struct {
	kind argKind
	val  uint64
	data string // of argString and argData
}

// Int is a number. Negative numbers such as AT_FDCWD are sign-extended.
func Int[T ~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~uintptr](v T) Arg {
	return Arg{val: uint64(v)}
}

// Str is the address of a NUL-terminated copy of s.
func Str(s string) Arg { return Arg{kind: argString, data: s} }

// Bytes is the address of a copy of b.
func Bytes(b []byte) Arg { return Arg{kind: argData, data: string(b)} }

// Words is the address of these 64-bit words.
func Words(w ...uint64) Arg { return Bytes(Raw(w...)) }

// Raw is 64-bit words as they are stored in a program.
func Raw(w ...uint64) []byte {
	b := make([]byte, 0, 8*len(w))
	for _, v := range w {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// Ref is an address as a number.
func Ref(a Addr) Arg { return Arg{kind: argAddr, val: uint64(a)} }

// Word is the 64-bit word that is stored at a when the call is made.
func Word(a Addr) Arg { return Arg{kind: argWord, val: uint64(a)} }

func put64(b []byte, at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }
func put32(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
func get64(b []byte, at int) uint64    { return binary.LittleEndian.Uint64(b[at:]) }
func get32(b []byte, at int) uint32    { return binary.LittleEndian.Uint32(b[at:]) }
