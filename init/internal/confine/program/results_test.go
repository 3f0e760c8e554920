package program

import (
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
)

// ran stores a result as the runner does.
func (p *Program) ran(o Op, v int64) { put64(p.mem, opAt(o.i)+offRes, uint64(v)) }

func TestResults(t *testing.T) {
	p := New(small())
	ok, bad, not, buf := p.Do(Sys(1)), p.Do(Sys(2)), p.Do(Sys(3)), p.Data(Raw(0x1122334455667788, 9))
	p.ran(ok, 10)
	p.ran(bad, -int64(syscall.EACCES))
	r := p.Copy()
	if !r.Ran(ok) || !r.Ran(bad) || r.Ran(not) {
		t.Error("wrong about what ran")
	}
	if r.Value(ok) != 10 || r.Errno(ok) != 0 || r.Errno(bad) != syscall.EACCES || r.Errno(not) != 0 {
		t.Errorf("values %d %v %v %v", r.Value(ok), r.Errno(ok), r.Errno(bad), r.Errno(not))
	}
	if got := r.Filled(ok, buf); len(got) != 10 || got[0] != 0x88 || got[8] != 9 {
		t.Errorf("filled %x", got)
	}
	if r.Filled(bad, buf) != nil || r.Filled(not, buf) != nil {
		t.Error("a call that failed filled something")
	}
	for _, a := range []struct {
		at Addr
		n  int
	}{{0, 1}, {Base, 8}, {buf - 1, 1}, {buf, 17}, {buf.Plus(16), 1}, {buf, -1}, {1 << 63, 8}, {^Addr(0), 8}, {^Addr(0), 1 << 62}} {
		if b := r.Bytes(a.at, a.n); b != nil {
			t.Errorf("%d bytes at %#x: %x", a.n, a.at, b)
		}
	}
	if b := r.Bytes(buf.Plus(16), 0); len(b) != 0 || r.Word(buf.Plus(9)) != 0 || r.Word32(buf.Plus(13)) != 0 {
		t.Error("a word over the end")
	}
	if b := r.Bytes(buf, 8); cap(b) != 8 {
		t.Errorf("a view of 8 bytes can grow to %d", cap(b))
	}
}

// TestCopyIsImmune holds that nothing stored later, by whoever has the memory, reaches what was copied.
func TestCopyIsImmune(t *testing.T) {
	p := New(small())
	o, buf := p.Do(Sys(1)).Returns(Int(1)), p.Data(Raw(1))
	p.ran(o, 1)
	r := p.Copy()
	for i := range p.mem {
		p.mem[i] = 0xff
	}
	if r.Value(o) != 1 || r.Word(buf) != 1 {
		t.Errorf("result %d, word %d", r.Value(o), r.Word(buf))
	}
	if f, broken := p.FirstFailure(r, 1, true); broken {
		t.Errorf("broken: %+v", f)
	}
	if f, broken := p.FirstFailure(p.Copy(), 1, true); broken {
		t.Errorf("a kind that is none was taken for a call: %+v", f)
	}
}

func TestBroken(t *testing.T) {
	const eperm = -int64(syscall.EPERM)
	var l Label
	unseen := int64(-1 << 63)
	for _, c := range []struct {
		name       string
		add        func(p *Builder) Op
		got        int64
		some, all  bool // broken by what ran; broken if all had to run
		afterOther int64
	}{
		{"success met", func(p *Builder) Op { return p.Do(Sys(1)) }, 0, false, false, 0},
		{"success not met", func(p *Builder) Op { return p.Do(Sys(1)) }, eperm, true, true, 0},
		{"the last errno", func(p *Builder) Op { return p.Do(Sys(1)) }, -4095, true, true, 0},
		{"a large result", func(p *Builder) Op { return p.Do(Sys(1)) }, -4096, false, false, 0},
		{"not reached", func(p *Builder) Op { return p.Do(Sys(1)) }, unseen, false, true, 0},
		{"any result", func(p *Builder) Op { return p.Try(Sys(1)) }, eperm, false, false, 0},
		{"value met", func(p *Builder) Op { return p.Ask(Sys(1)).Returns(Int(3)) }, 3, false, false, 0},
		{"value not met", func(p *Builder) Op { return p.Ask(Sys(1)).Returns(Int(3)) }, 4, true, true, 0},
		{"errno met", func(p *Builder) Op { return p.Ask(Sys(1)).Returns(Errno(syscall.EPERM)) }, eperm, false, false, 0},
		{"errno not met", func(p *Builder) Op { return p.Ask(Sys(1)).Returns(Errno(syscall.EPERM)) }, 0, true, true, 0},
		{"another result met", func(p *Builder) Op { return p.Ask(Sys(1)).Returns(p.Op(0).Result()) }, 6, false, false, 6},
		{"another result not met", func(p *Builder) Op { return p.Ask(Sys(1)).Returns(p.Op(0).Result()) }, 6, true, true, 7},
		{"a word met", func(p *Builder) Op { return p.Ask(Sys(1)).Returns(Word(p.Data(Raw(6)))) }, 6, false, false, 0},
		{"a word not met", func(p *Builder) Op { return p.Ask(Sys(1)).Returns(Word(p.Data(Raw(7)))) }, 6, true, true, 0},
		{"a label of its own", func(p *Builder) Op { o := p.Do(Sys(1)).Else(&l); p.Bind(&l); return o }, eperm, false, false, 0},
		{"a fork not stored yet", func(p *Builder) Op { return p.Do(Sys(1)).Fork() }, unseen, false, false, 0},
		{"a fork refused", func(p *Builder) Op { return p.Do(Sys(1)).Fork() }, eperm, true, true, 0},
		{"a test", func(p *Builder) Op { p.BranchUnless(Int(1), new(Label)); return p.Op(p.Len() - 1) }, unseen, false, false, 0},
	} {
		p := New(small())
		p.ran(p.Try(Sys(1)), c.afterOther)
		p.Layer("some layer")
		o := c.add(p)
		o.For("an object")
		p.ran(o, c.got)
		r := p.Copy()
		for _, all := range []bool{false, true} {
			f, broken := p.FirstFailure(r, p.Len(), all)
			if want := all && c.all || !all && c.some; broken != want {
				t.Errorf("%s: broken %v, all %v", c.name, broken, all)
			}
			if broken && (f.Op != o || f.Layer != "some layer" || f.Object != "an object" || f.Ran != (c.got != unseen) ||
				f.Got != c.got || f.Call != seccomp.Name(1) || f.Errno != r.Errno(o)) {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		if _, broken := p.FirstFailure(r, o.Index(), true); broken {
			t.Errorf("%s: broken before the end that was asked for", c.name)
		}
	}
}

func TestObject(t *testing.T) {
	p := New(small())
	p.ran(p.Do(Sys(1, Int(1), Str("/first"), Str("/second"))), -1)
	if f, _ := p.FirstFailure(p.Copy(), 1, false); f.Object != "/first" || f.Errno != syscall.EPERM {
		t.Errorf("%+v", f)
	}
}

func TestDisarm(t *testing.T) {
	p := New(small())
	before := p.Do(Sys(1))
	o := p.Do(Sys(5, Str("/usr"))).Returns(Int(3))
	p.Disarm(o.Index())
	if p.mem[opAt(o.i)+offWant] != wantAny || get32(p.mem, opAt(o.i)+offNr) != nothing {
		t.Errorf("disarmed: %s", p.Line(o.Index(), nil))
	}
	if p.mem[opAt(before.i)+offWant] != wantOK || get32(p.mem, opAt(before.i)+offNr) != 1 {
		t.Error("another Op was disarmed")
	}
	p.ran(o, -1)
	p.ran(before, 0)
	if f, broken := p.FirstFailure(p.Copy(), p.Len(), true); broken {
		t.Errorf("broken: %+v", f)
	}
}
