package userbus

import "encoding/binary"

// A writer lays out values as the D-Bus specification says, each aligned to its own size.
type writer struct{ b []byte }

func (w *writer) align(n int) {
	for len(w.b)%n != 0 {
		w.b = append(w.b, 0)
	}
}

func (w *writer) u32(v uint32) {
	w.align(4)
	w.b = binary.LittleEndian.AppendUint32(w.b, v)
}

func (w *writer) str(s string) {
	w.u32(uint32(len(s)))
	w.b = append(append(w.b, s...), 0)
}

func (w *writer) sig(s string) { w.b = append(append(append(w.b, byte(len(s))), s...), 0) }

// array writes a length, the padding that the first element needs and does not count, and the elements.
func (w *writer) array(align int, elements func()) {
	w.u32(0)
	at := len(w.b) - 4
	w.align(align)
	from := len(w.b)
	elements()
	binary.LittleEndian.PutUint32(w.b[at:], uint32(len(w.b)-from))
}

// field writes one field of a header: a struct of a byte and a variant.
func (w *writer) field(code byte, sig, value string) {
	w.align(8)
	w.b = append(w.b, code)
	w.sig(sig)
	if sig == "g" {
		w.sig(value)
		return
	}
	w.str(value)
}

// property writes one element of an a(sv).
func (w *writer) property(name, sig string, value func()) {
	w.align(8)
	w.str(name)
	w.sig(sig)
	value()
}

// A reader reads such values. A value that runs over the end sets bad, and all later values are zero.
type reader struct {
	b   []byte
	at  int
	bad bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b)-r.at {
		r.bad = true
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) align(n int) { r.take((n - r.at%n) % n) }

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u32() uint32 {
	r.align(4)
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) str() string { return r.text(int(min(r.u32(), most+1))) }

func (r *reader) signature() string { return r.text(int(r.byte())) }

// value is a string, a signature or a number of 32 bits.
func (r *reader) value(kind string) (text string, number uint32) {
	switch kind {
	case "s", "o":
		return r.str(), 0
	case "g":
		return r.signature(), 0
	case "u":
		return "", r.u32()
	}
	r.bad = true
	return "", 0
}

// text is n bytes and the NUL behind them.
func (r *reader) text(n int) string {
	b := r.take(n + 1)
	if b == nil || b[n] != 0 {
		r.bad = true
		return ""
	}
	return string(b[:n])
}
