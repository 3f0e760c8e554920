package program

import "bytes"

// area is the data of a program, laid out by Str, Bytes and Space behind the Ops, for calls to read and fill.
type area struct {
	whole []byte // the memory of the program
	end   int    // of the data in it
	spans []span // for the printer
	full  bool
}

type span struct{ from, to int }

// Space reserves n zero bytes, aligned to a word, for a call to fill.
func (d *area) Space(n int) Addr {
	at := (d.end + 7) &^ 7
	if n < 0 {
		panic("program: a negative size")
	}
	if n > len(d.whole)-at {
		d.full = true
		return Base + dataFrom
	}
	d.end = at + n
	d.spans = append(d.spans, span{at, d.end})
	return Addr(Base + at)
}

// Data copies b into the program.
func (d *area) Data(b []byte) Addr {
	a := d.Space(len(b))
	if !d.full {
		copy(d.whole[a-Base:], b)
	}
	return a
}

// String copies s into the program, with a NUL behind it.
func (d *area) String(s string) Addr {
	a := d.Space(len(s) + 1)
	if !d.full {
		copy(d.whole[a-Base:], s)
	}
	return a
}

// Strings copies s and the NULL-terminated array of pointers to the copies, as execve takes it.
func (d *area) Strings(s []string) Addr {
	w := make([]uint64, len(s)+1)
	for i, v := range s {
		w[i] = uint64(d.String(v))
	}
	return d.Data(Raw(w...))
}

// cString is the text at a. Once the server runs, an address read from the memory is a claim of a foreign process, and
// may lead nowhere.
func (d *area) cString(a Addr) string {
	if a < Base || a-Base > Addr(len(d.whole)) {
		return ""
	}
	text, _, _ := bytes.Cut(d.whole[a-Base:], []byte{0})
	return string(text)
}
