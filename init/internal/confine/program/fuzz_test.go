package program

import (
	"bytes"
	"syscall"
	"testing"
)

// source deals out a fuzzer's bytes, and zeros after them.
type source struct{ b []byte }

func (s *source) byte() byte {
	if len(s.b) == 0 {
		return 0
	}
	c := s.b[0]
	s.b = s.b[1:]
	return c
}

func (s *source) word() (v uint64) {
	for range 8 {
		v = v<<8 | uint64(s.byte())
	}
	return v
}

func (s *source) take(n int) []byte {
	n = min(n, len(s.b))
	b := s.b[:n]
	s.b = s.b[n:]
	return b
}

// arg is any argument that the exported functions make.
func (s *source) arg(p *Builder) Arg {
	switch s.byte() % 8 {
	case 0:
		return Int(s.word())
	case 1:
		return Str(string(s.take(int(s.byte()))))
	case 2:
		return Bytes(s.take(int(s.byte())))
	case 3:
		return Words(s.word(), s.word())
	case 4:
		return Ref(Addr(s.word()))
	case 5:
		return Word(Addr(s.word()))
	case 6:
		if p.Len() > 0 {
			return p.Op(int(s.byte()) % p.Len()).Result()
		}
	}
	return Errno(syscall.Errno(s.byte()))
}

// step does one thing that a row may do.
func (s *source) step(p *Builder, labels []Label) {
	l := &labels[int(s.byte())%len(labels)]
	switch s.byte() % 12 {
	case 0:
		p.Bind(l)
	case 1:
		p.BranchUnless(s.arg(p), l)
	case 2:
		p.BranchUnlessOK(l)
	case 3:
		p.Jump(l)
	case 4:
		p.Data(Raw(s.word()))
	case 5:
		p.Space(int(s.byte()) << (s.byte() % 20))
	case 6:
		p.Strings([]string{string(s.take(3)), string(s.take(9))})
	case 7:
		p.Layer(string(s.take(30)))
	case 8:
		for range int(s.byte()) * 50 { // some 12,000 Ops outgrow the memory
			p.Call(Sys(1))
		}
	default:
		args := make([]Arg, s.byte()%7)
		for i := range args {
			args[i] = s.arg(p)
		}
		o := p.add(Class(s.byte()%3), s.byte()%2, Sys(uintptr(s.word()), args...))
		if s.byte()%3 == 0 {
			o.Returns(s.arg(p))
		}
		switch s.byte() % 5 {
		case 0:
			o.Else(l)
		case 1:
			o.Fork().For("x")
		case 2:
			o.StoreAt(Addr(s.word()))
		case 3:
			p.Disarm(o.Index())
		}
	}
}

// FuzzBuild holds that no sequence of calls makes the builder or the printer panic, that what is laid out stays within
// its part of the memory, and that a foreign process which then writes whatever it likes cannot make them panic either.
func FuzzBuild(f *testing.F) {
	f.Add([]byte(""), []byte(""))
	f.Add([]byte("\x00\x09\x03\x01\x04/usr\x03ab\x06\x00\x01\x02\x00\x01\x00\x02\x01\x00"), []byte("\x00\xff"))
	f.Add([]byte("\x00\x08\xff\x00\x08\xff\x00\x09"), []byte("\x01"))
	f.Add([]byte("\x00\x05\xff\x13\x00\x05\xff\x13\x01\x09\x06\x01\xff"), []byte("\x80\x00\x00\x10"))
	mem, zeros := small(), small()
	f.Fuzz(func(t *testing.T, in, hostile []byte) {
		clear(mem)
		p, s := New(mem), source{in}
		var labels [4]Label
		for len(s.b) > 0 {
			s.step(p, labels[:])
		}
		if p.Len() > MaxOps || p.end < dataFrom || p.end > len(mem) || len(p.metas) != p.Len() {
			t.Fatalf("%d Ops, %d metas, data up to %#x", p.Len(), len(p.metas), p.end)
		}
		if behind := mem[opAt(p.n):dataFrom]; !bytes.Equal(behind, zeros[:len(behind)]) {
			t.Fatal("something lies behind the Ops")
		}
		look(t, p.Program)
		for i := 0; i < opAt(min(p.n, 200)) && len(hostile) > 0; i++ {
			mem[i] ^= hostile[i%len(hostile)]
		}
		look(t, p.Program)
	})
}

func look(t *testing.T, p *Program) {
	r := p.Copy()
	for i := range min(p.Len(), 200) {
		if p.Line(i, r) == "" || p.Line(i, nil) == "" {
			t.Fatalf("Op %d has no line", i)
		}
		r.Filled(p.Op(i), Addr(r.Value(p.Op(i))))
	}
	p.FirstFailure(r, p.Len(), false)
	p.FirstFailure(r, p.Len(), true)
}
