package program

import (
	"slices"
	"strings"
	"syscall"
	"testing"
)

// small is memory with room for all Ops, but little data.
func small() []byte { return make([]byte, dataFrom+4096) }

func (p *Program) field(o Op, off int) uint64 { return get64(p.mem, opAt(o.i)+off) }

func TestLayout(t *testing.T) {
	p := New(small())
	first := p.Do(Sys(7))
	cell := p.Data(Raw(5))
	o := p.Ask(Sys(1234, Int(-100), Str("/usr"), Bytes([]byte{1, 2, 3}), Words(8, 9), first.Result(), Word(cell))).Returns(Errno(syscall.ENOENT))
	ref := p.Do(Sys(1, Ref(cell), Int(^uint64(0)), Int(uint32(1<<31))))
	str, bytes, words := Addr(p.field(o, offArgs+8)), Addr(p.field(o, offArgs+16)), Addr(p.field(o, offArgs+24))
	for _, c := range []struct {
		name      string
		got, want uint64
	}{
		{"the first Op lies behind the header", uint64(first.At()), Base + header + offRes},
		{"the second is one Op further", uint64(o.At() - first.At()), opSize},
		{"kind, indirect arguments 4 and 5, demand", p.field(o, 0), kindCall | (1<<4|1<<5)<<8 | wantEq<<16 | 1234<<32},
		{"the demanded value", p.field(o, offVal), ^uint64(syscall.ENOENT - 1)},
		{"a negative number", p.field(o, offArgs), ^uint64(99)},
		{"a result", p.field(o, offArgs+32), uint64(first.At())},
		{"a word", p.field(o, offArgs+40), uint64(cell)},
		{"an address", p.field(ref, offArgs), uint64(cell)},
		{"all bits", p.field(ref, offArgs+8), ^uint64(0)},
		{"an unsigned number is not sign-extended", p.field(ref, offArgs+16), 1 << 31},
		{"nothing indirect", p.field(ref, 0), kindCall | wantOK<<16 | 1<<32},
		{"no result yet", p.field(o, offRes), Unset},
		{"no label", p.field(o, offAlt), 0},
		{"no other place for the result", p.field(o, offOut), 0},
		{"a word of data", get64(p.mem, int(cell-Base)), 5},
		{"the second word", get64(p.mem, int(words-Base)+8), 9},
		{"alignment", uint64(cell|str|bytes|words) % 8, 0},
	} {
		if c.got != c.want {
			t.Errorf("%s: %#x, want %#x", c.name, c.got, c.want)
		}
	}
	if got := p.mem[str-Base:][:5]; string(got) != "/usr\x00" {
		t.Errorf("string %q", got)
	}
	if got := p.mem[bytes-Base:][:4]; string(got) != "\x01\x02\x03\x00" {
		t.Errorf("bytes %q", got)
	}
	if p.Len() != 3 || o.Index() != 1 || p.Op(1) != o || p.Class(0) != Apply || p.Class(1) != Ask || p.Full() {
		t.Errorf("%d Ops, index %d, classes %d %d, full %v", p.Len(), o.Index(), p.Class(0), p.Class(1), p.Full())
	}
}

// TestVerbs pins which class and demand each way to add an Op has.
func TestVerbs(t *testing.T) {
	p := New(small())
	for _, c := range []struct {
		name  string
		op    Op
		class Class
		want  byte
	}{
		{"Do", p.Do(Sys(1)), Apply, wantOK},
		{"Do, Returns", p.Do(Sys(1)).Returns(Int(3)), Apply, wantEq},
		{"Try", p.Try(Sys(1)), Apply, wantAny},
		{"Ask", p.Ask(Sys(1)), Ask, wantOK},
		{"Ask, Returns", p.Ask(Sys(1)).Returns(Int(3)), Ask, wantEq},
		{"Observe", p.Observe(Sys(1)), Ask, wantAny},
		{"Step", p.Step(Sys(1)), Control, wantOK},
		{"Step, Returns", p.Step(Sys(1)).Returns(Int(3)), Control, wantEq},
		{"Call", p.Call(Sys(1)), Control, wantAny},
	} {
		if got := p.mem[opAt(c.op.i)+offWant]; got != c.want || p.Class(c.op.i) != c.class {
			t.Errorf("%s: class %d, demand %d", c.name, p.Class(c.op.i), got)
		}
		if v := p.field(c.op, offVal); (c.want == wantEq) != (v == 3) {
			t.Errorf("%s: demanded value %d", c.name, v)
		}
	}
}

func TestLabels(t *testing.T) {
	var forward, back, nowhere Label
	p := New(small())
	p.Bind(&back)
	a := p.Do(Sys(1)).Else(&forward)
	p.BranchUnless(Int(5), &forward)
	p.BranchUnlessOK(&back)
	p.Jump(&nowhere)
	p.Bind(&forward)
	b := p.Do(Sys(1)).Else(&back)
	at := func(i int) uint64 { return uint64(Base + header + i*opSize) }
	for i, want := range []struct {
		kind, demand byte
		val, alt     uint64
	}{
		{kindCall, wantOK, 0, at(4)},
		{kindTest, wantEq, 5, at(4)},
		{kindTest, wantOK, 0, at(0)},
		{kindTest, wantEq, Unset, 0}, // a label that is never placed ends the runner
		{kindCall, wantOK, 0, at(0)},
	} {
		o := p.Op(i)
		if k, d := p.mem[opAt(i)+offKind], p.mem[opAt(i)+offWant]; k != want.kind || d != want.demand ||
			p.field(o, offVal) != want.val || p.field(o, offAlt) != want.alt {
			t.Errorf("Op %d: kind %d, demand %d, value %#x, label %#x", i, k, d, p.field(o, offVal), p.field(o, offAlt))
		}
	}
	if a.Index() != 0 || b.Index() != 4 {
		t.Errorf("indices %d and %d", a.Index(), b.Index())
	}
}

func TestForkAndInto(t *testing.T) {
	p := New(small())
	plain, a := p.Do(Sys(1)), p.Space(16)
	o := p.Do(Sys(1)).Fork().StoreAt(a.Plus(4))
	if p.mem[opAt(o.i)+offParent] != 1 || p.field(o, offOut) != uint64(a)+4 {
		t.Errorf("fork %d, into %#x", p.mem[opAt(o.i)+offParent], p.field(o, offOut))
	}
	if p.mem[opAt(plain.i)+offParent] != 0 {
		t.Error("another Op is a fork")
	}
}

func TestFullOps(t *testing.T) {
	p := New(small())
	for range MaxOps {
		p.Do(Sys(1))
	}
	if p.Full() || p.Len() != MaxOps || opAt(MaxOps) > dataFrom {
		t.Fatalf("full %v with %d of %d Ops", p.Full(), p.Len(), MaxOps)
	}
	var l Label
	o := p.Do(Sys(2, Str("x"))).Else(&l).For("y")
	p.Bind(&l)
	if !p.Full() || o.Index() != MaxOps-1 || p.Len() != MaxOps {
		t.Errorf("full %v, index %d", p.Full(), o.Index())
	}
	if b := p.mem[opAt(MaxOps):dataFrom]; slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) {
		t.Error("something was stored behind the Ops")
	}
}

func TestFullData(t *testing.T) {
	for name, grow := range map[string]func(p *Builder, n int){
		"Space":  func(p *Builder, n int) { p.Space(n) },
		"Data":   func(p *Builder, n int) { p.Data(make([]byte, n)) },
		"String": func(p *Builder, n int) { p.String(strings.Repeat("x", n-1)) },
		"Str":    func(p *Builder, n int) { p.Do(Sys(1, Str(strings.Repeat("x", n-1)))) },
		"Bytes":  func(p *Builder, n int) { p.Do(Sys(1, Bytes(make([]byte, n)))) },
	} {
		p := New(small())
		grow(p, 4096)
		if p.Full() {
			t.Errorf("%s: full when it just fits", name)
		}
		grow(p, 1)
		if !p.Full() {
			t.Errorf("%s: not full", name)
		}
		// A builder goes on, and must not fail: what it makes is thrown away.
		a := p.Space(1 << 30)
		p.Do(Sys(1, Str("more"), Word(a), Words(1, 2))).StoreAt(a.Plus(1 << 29))
		if p.Line(p.Len()-1, p.Copy()) == "" {
			t.Errorf("%s: no line", name)
		}
	}
}

func TestStrings(t *testing.T) {
	p := New(small())
	a := p.Strings([]string{"one", "", "three"})
	r := p.Copy()
	for i, want := range []string{"one\x00", "\x00", "three\x00"} {
		if got := r.Bytes(Addr(r.Word(a.Plus(8*i))), len(want)); string(got) != want {
			t.Errorf("string %d is %q", i, got)
		}
	}
	if r.Word(a.Plus(24)) != 0 {
		t.Error("no NULL at the end")
	}
}

// TestMisuse holds what only a mistake in a row can do.
func TestMisuse(t *testing.T) {
	for name, f := range map[string]func(*Builder){
		"seven arguments": func(p *Builder) { p.Do(Sys(1, Int(1), Int(2), Int(3), Int(4), Int(5), Int(6), Int(7))) },
		"a negative size": func(p *Builder) { p.Space(-1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f(New(small()))
		}()
	}
}
