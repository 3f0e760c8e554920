package program

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
	b := make([]byte, 8*len(w))
	for i, v := range w {
		put64(b, 8*i, v)
	}
	return b
}

// Ref is an address as a number.
func Ref(a Addr) Arg { return Arg{kind: argAddr, val: uint64(a)} }

// Word is the 64-bit word that is stored at a when the call is made.
func Word(a Addr) Arg { return Arg{kind: argWord, val: uint64(a)} }

func put64(b []byte, at int, v uint64) {
	_ = b[at+7]
	b[at], b[at+1], b[at+2], b[at+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	b[at+4], b[at+5], b[at+6], b[at+7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
}

func put32(b []byte, at int, v uint32) {
	_ = b[at+3]
	b[at], b[at+1], b[at+2], b[at+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func get64(b []byte, at int) uint64 {
	_ = b[at+7]
	return uint64(b[at]) | uint64(b[at+1])<<8 | uint64(b[at+2])<<16 | uint64(b[at+3])<<24 |
		uint64(b[at+4])<<32 | uint64(b[at+5])<<40 | uint64(b[at+6])<<48 | uint64(b[at+7])<<56
}

func get32(b []byte, at int) uint32 {
	_ = b[at+3]
	return uint32(b[at]) | uint32(b[at+1])<<8 | uint32(b[at+2])<<16 | uint32(b[at+3])<<24
}
