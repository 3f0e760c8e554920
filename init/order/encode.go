package order

import "errors"

// magic starts every encoded Order. Its last byte is the version of the encoding: both ends are the same binary.
const magic = "mcp-sandbox order\x00\x01"

// ErrOrder is the error of bytes that are no Order.
var ErrOrder = errors.New("order: not an order of this program")

// Encode writes an Order: fields in a fixed order, each string with its length in front. Arguments and variables need
// not be UTF-8, which is why this is not JSON.
func (o *Order) Encode() []byte {
	b := append(make([]byte, 0, 4096), magic...)
	b = appendBytes(b, o.Policy)
	b = appendList(b, o.Command)
	b = appendList(b, o.Env)
	b = appendList(b, o.Dropped)
	b = appendList(b, o.EnvFiles)
	for _, s := range []string{o.Dir, o.PolicyFile, o.ReportFile, o.Launcher, o.Begin, o.Why} {
		b = appendBytes(b, []byte(s))
	}
	b = appendStored(b, &o.Stored)
	b = appendGuide(b, &o.Guide)
	b = appendWord(b, uint64(int64(o.ReportFD)))
	bits := uint64(0)
	for i, f := range o.bits() {
		if *f {
			bits |= 1 << i
		}
	}
	return appendWord(b, bits)
}

// bits are the flags in the order of their bits.
func (f *Flags) bits() [10]*bool {
	return [...]*bool{&f.MinWritten, &f.Verbose, &f.Probe, &f.TTY, &f.StdoutGuard, &f.PidsWritten, &f.Quiet, &f.Guided,
		&f.Keep, &f.TellDenied}
}

func appendWord(b []byte, v uint64) []byte {
	return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
}

func appendBytes(b, s []byte) []byte { return append(appendWord(b, uint64(len(s))), s...) }

func appendList(b []byte, list []string) []byte {
	b = appendWord(b, uint64(len(list)))
	for _, s := range list {
		b = append(appendWord(b, uint64(len(s))), s...)
	}
	return b
}

// Decode reads the bytes of [Order.Encode], and nothing else: a byte too few or too many is an error.
func Decode(b []byte) (*Order, error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return nil, ErrOrder
	}
	d := decoder{b: b[len(magic):]}
	o := &Order{Policy: d.bytes(), Command: d.list(), Env: d.list(), Dropped: d.list()}
	o.EnvFiles = d.list()
	for _, s := range []*string{&o.Dir, &o.PolicyFile, &o.ReportFile, &o.Launcher, &o.Begin, &o.Why} {
		*s = string(d.bytes())
	}
	o.Stored = d.stored()
	o.Guide = d.guide()
	o.ReportFD = int(int64(d.word()))
	bits := d.word()
	for i, f := range o.bits() {
		*f = bits&(1<<i) != 0
	}
	if d.bad || len(d.b) != 0 || bits >= 1<<len(o.bits()) || o.ReportFD < -1 || len(o.Command) == 0 {
		return nil, ErrOrder
	}
	return o, nil
}

type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) word() uint64 {
	if len(d.b) < 8 {
		d.bad = true
		return 0
	}
	v := uint64(0)
	for i := 7; i >= 0; i-- {
		v = v<<8 | uint64(d.b[i])
	}
	d.b = d.b[8:]
	return v
}

func (d *decoder) bytes() []byte {
	n := d.word()
	if d.bad || n > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	s := d.b[:n:n]
	d.b = d.b[n:]
	return s
}

func (d *decoder) list() []string {
	n := d.word()
	if d.bad || n > uint64(len(d.b))/8 { // each has a length of eight bytes
		d.bad = true
		return nil
	}
	var list []string
	for range n {
		list = append(list, string(d.bytes()))
	}
	return list
}
