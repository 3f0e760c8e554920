//go:build linux

package main

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
)

// A check looks at what a program stored when it ran.
type check func(*program.Results) error

func build(name string, p *program.Builder) (check, error) {
	switch name {
	case "all":
		return all(p), nil
	case "broken":
		return broken(p), nil
	case "end":
		return end(p), nil
	}
	return nil, fmt.Errorf("no program %q", name)
}

var num = program.Int[int]

func exit(p *program.Builder, code int) { p.Call(program.Sys(unix.SYS_EXIT_GROUP, num(code))) }

// all uses whatever the runner can do. It ends with 42, and with another code for each thing that went wrong.
func all(p *program.Builder) check {
	failed := new(program.Label)
	checks := []check{values(p), halves(p), words(p, failed), branches(p, failed), child(p, failed)}
	exit(p, 42)
	p.Bind(failed)
	exit(p, 4)
	return func(r *program.Results) error {
		for _, c := range checks {
			if err := c(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// values demands values, direct and out of another Op, and has arguments of every kind.
func values(p *program.Builder) check {
	pid := p.Do(program.Sys(unix.SYS_GETPID))
	p.Do(program.Sys(unix.SYS_GETPID)).Returns(pid.Result())
	p.Ask(program.Sys(unix.SYS_CLOSE, num(99))).Returns(program.Errno(unix.EBADF))
	maps := sixArguments(p)
	return func(r *program.Results) error {
		if r.Value(pid) <= 0 {
			return fmt.Errorf("pid %d", r.Value(pid))
		}
		for i, a := range maps {
			if int64(r.Word(a)) != r.Value(pid) {
				return fmt.Errorf("page %d has %d", i, r.Word(a))
			}
		}
		return nil
	}
}

// halves stores a result in the middle of a word, whose other half stays.
func halves(p *program.Builder) check {
	half := p.Data(program.Raw(0x1111111122222222))
	into := p.Do(program.Sys(unix.SYS_DUP, num(1))).StoreAt(half.Plus(4))
	closed := p.Do(program.Sys(unix.SYS_CLOSE, into.Result()))
	return func(r *program.Results) error {
		if r.Word(half) != uint64(r.Value(into))<<32|0x22222222 {
			return fmt.Errorf("into %d made %#x", r.Value(into), r.Word(half))
		}
		if !r.Ran(closed) || r.Value(closed) != 0 {
			return fmt.Errorf("close: %d", r.Value(closed))
		}
		return nil
	}
}

// words makes no call: a word becomes the last result, and a result is negated.
func words(p *program.Builder, failed *program.Label) check {
	pid := p.Do(program.Sys(unix.SYS_GETPID))
	word := p.Data(program.Raw(1<<40 + 5))
	loaded := p.Load(program.Word(word))
	p.BranchUnless(num(1<<40+5), failed)
	negated := p.Negate(pid.Result())
	back := p.Negate(negated.Result()).StoreAt(word.Plus(4))
	p.BranchUnless(pid.Result(), failed)
	p.Load(num(-7))
	refused := new(program.Label)
	p.BranchUnlessOK(refused)
	exit(p, 5)
	p.Bind(refused)
	return func(r *program.Results) error {
		is := r.Value(pid)
		if r.Value(loaded) != 1<<40+5 {
			return fmt.Errorf("loaded %#x", r.Value(loaded))
		}
		if r.Value(negated) != -is || r.Value(back) != is {
			return fmt.Errorf("negated %d and %d of %d", r.Value(negated), r.Value(back), is)
		}
		if r.Word(word) != uint64(is)<<32|5 {
			return fmt.Errorf("into %d made %#x", r.Value(back), r.Word(word))
		}
		return nil
	}
}

// branches branches forward where an Op fails, and backward until the three letters in a pipe are read.
func branches(p *program.Builder, failed *program.Label) check {
	refused, loop, empty, on := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	never := p.Do(program.Sys(unix.SYS_CLOSE, num(99))).Else(refused)
	exit(p, 1)
	p.Bind(refused)
	ends := p.Space(16) // two descriptors of 32 bits, and nothing behind them
	p.Do(program.Sys(unix.SYS_PIPE2, program.Ref(ends), num(unix.O_NONBLOCK)))
	write := program.Sys(unix.SYS_WRITE, program.Word(ends.Plus(4)), program.Str("abc"), num(3))
	p.Do(write).Returns(num(3))
	p.Bind(loop)
	letter := p.Space(8)
	read := p.Try(program.Sys(unix.SYS_READ, program.Word(ends), program.Ref(letter), num(1)))
	p.BranchUnlessOK(empty)
	p.BranchUnless(num(2), loop)
	exit(p, 2)
	p.Bind(empty)
	p.BranchUnless(program.Errno(unix.EAGAIN), failed)
	p.Jump(on)
	exit(p, 3)
	p.Bind(on)
	return func(r *program.Results) error {
		if r.Errno(never) != unix.EBADF {
			return fmt.Errorf("close of nothing: %w", r.Errno(never))
		}
		if r.Errno(read) != unix.EAGAIN || r.Word(letter) != 'c' {
			return fmt.Errorf("the last read %d, letter %#x", r.Value(read), r.Word(letter))
		}
		return nil
	}
}

// child has a child that stores nothing and goes another way than its parent, which reaps it.
func child(p *program.Builder, failed *program.Label) check {
	parent, zero := new(program.Label), num(0)
	fork := program.Sys(unix.SYS_CLONE, num(int(unix.SIGCHLD)), zero, zero, zero, zero)
	clone := p.Do(fork).Returns(zero).Fork().Else(parent)
	inChild := p.Do(program.Sys(unix.SYS_GETPID))
	exit(p, 7)
	p.Bind(parent)
	p.BranchUnlessOK(failed)
	status := p.Space(8)
	wait := program.Sys(unix.SYS_WAIT4, clone.Result(), program.Ref(status), zero, zero)
	reaped := p.Step(wait).Returns(clone.Result())
	return func(r *program.Results) error {
		pid := r.Value(clone)
		if pid <= 0 || r.Value(inChild) != pid || r.Value(reaped) != pid {
			return fmt.Errorf("clone %d, the child is %d, reaped %d", pid, r.Value(inChild), r.Value(reaped))
		}
		if r.Word32(status) != 7<<8 {
			return fmt.Errorf("status of the child %#x", r.Word32(status))
		}
		return nil
	}
}

// sixArguments maps pages of the program a second time, with every argument direct, with each of them indirect and with
// all, and stores its process id there. It returns where the ids must then be.
func sixArguments(p *program.Builder) (pages [8]program.Addr) {
	const page = 64 << 10 // the largest that arm64 has
	first := (p.Space(len(pages)*page+page) + page - 1) &^ (page - 1)
	for i := range pages {
		pages[i] = first.Plus(i * page)
		at := 0x20000000 + i*page
		const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_FIXED_NOREPLACE
		values := [6]uint64{uint64(at), page, prot, flags, 3, uint64(pages[i]) - program.Base}
		var args [6]program.Arg
		for j, v := range values {
			if args[j] = program.Int(v); i == j+1 || i == 7 {
				args[j] = program.Word(p.Data(program.Raw(v)))
			}
		}
		p.Do(program.Sys(unix.SYS_MMAP, args[:]...)).Returns(num(at))
		p.Do(program.Sys(unix.SYS_GETPID)).StoreAt(program.Addr(at))
	}
	return pages
}

// broken demands what cannot be, in the Op at 1.
func broken(p *program.Builder) check {
	p.Layer("trial")
	p.Do(program.Sys(unix.SYS_GETPID))
	bad := p.Do(program.Sys(unix.SYS_GETPID)).Returns(num(-1)).For("self")
	after := p.Do(program.Sys(unix.SYS_GETPID))
	exit(p, 0)
	return func(r *program.Results) error {
		f, found := p.FirstFailure(r, p.Len(), false)
		if !found || f.Op != bad || !f.Ran || f.Got <= 0 || f.Layer != "trial" || f.Object != "self" || r.Ran(after) {
			return fmt.Errorf("%v %+v", found, f)
		}
		return nil
	}
}

// end has nothing after its only Op.
func end(p *program.Builder) check {
	only := p.Do(program.Sys(unix.SYS_GETPID))
	return func(r *program.Results) error {
		if !r.Ran(only) {
			return fmt.Errorf("the Op did not run")
		}
		return nil
	}
}
