//go:build linux

package main

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
)

// A check looks at what a program stored when it ran.
type check func(*program.Results) error

func build(name string, p *program.Program) (check, error) {
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

func exit(p *program.Program, code int) { p.Call(program.Sys(unix.SYS_EXIT_GROUP, num(code))) }

// all uses whatever the runner can do. It ends with 42, and with another code for each thing that went wrong.
func all(p *program.Program) check {
	refused, loop, empty, on := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	parent, failed, refusedLoad := new(program.Label), new(program.Label), new(program.Label)

	// Demanded values, direct and out of another Op.
	pid := p.Do(program.Sys(unix.SYS_GETPID))
	p.DoExactly(pid.Result(), program.Sys(unix.SYS_GETPID))
	p.AskFor(program.Errno(unix.EBADF), program.Sys(unix.SYS_CLOSE, num(99)))
	maps := sixArguments(p)

	// A result goes into the middle of a word, whose other half stays.
	half := p.Data(program.Raw(0x1111111122222222))
	into := p.Do(program.Sys(unix.SYS_DUP, num(1))).StoreAt(half.Plus(4))
	closed := p.Do(program.Sys(unix.SYS_CLOSE, into.Result()))

	// No calls: a word becomes the last result, and a result is negated.
	word := p.Data(program.Raw(1<<40 + 5))
	loaded := p.Load(program.Word(word))
	p.BranchUnless(num(1<<40+5), failed)
	negated := p.Negate(pid.Result())
	back := p.Negate(negated.Result()).StoreAt(word.Plus(4))
	p.BranchUnless(pid.Result(), failed)
	p.Load(num(-7))
	p.BranchUnlessOK(refusedLoad)
	exit(p, 5)
	p.Bind(refusedLoad)

	// Branches: forward where an Op fails, and backward until the three letters in a pipe are read.
	never := p.Do(program.Sys(unix.SYS_CLOSE, num(99))).Else(refused)
	exit(p, 1)
	p.Bind(refused)
	ends := p.Space(16) // two descriptors of 32 bits, and nothing behind them
	p.Do(program.Sys(unix.SYS_PIPE2, program.Ref(ends), num(unix.O_NONBLOCK)))
	p.DoExactly(num(3), program.Sys(unix.SYS_WRITE, program.Word(ends.Plus(4)), program.Str("abc"), num(3)))
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

	// The child stores nothing and goes another way than its parent, which reaps it.
	clone := p.DoExactly(num(0), program.Sys(unix.SYS_CLONE, num(int(unix.SIGCHLD)), num(0), num(0), num(0), num(0))).Fork().Else(parent)
	inChild := p.Do(program.Sys(unix.SYS_GETPID))
	exit(p, 7)
	p.Bind(parent)
	p.BranchUnlessOK(failed)
	status := p.Space(8)
	reaped := p.StepExactly(clone.Result(), program.Sys(unix.SYS_WAIT4, clone.Result(), program.Ref(status), num(0), num(0)))
	exit(p, 42)
	p.Bind(failed)
	exit(p, 4)

	return func(r *program.Results) error {
		for i, a := range maps {
			if int64(r.Word(a)) != r.Value(pid) {
				return fmt.Errorf("page %d has %d", i, r.Word(a))
			}
		}
		switch {
		case r.Value(pid) <= 0 || r.Value(clone) <= 0:
			return fmt.Errorf("pid %d, clone %d", r.Value(pid), r.Value(clone))
		case r.Word(half) != uint64(r.Value(into))<<32|0x22222222:
			return fmt.Errorf("into %d made %#x", r.Value(into), r.Word(half))
		case r.Value(loaded) != 1<<40+5 || r.Value(negated) != -r.Value(pid) || r.Value(back) != r.Value(pid):
			return fmt.Errorf("loaded %#x, negated %d and %d of %d", r.Value(loaded), r.Value(negated), r.Value(back), r.Value(pid))
		case r.Word(word) != uint64(r.Value(pid))<<32|5:
			return fmt.Errorf("into %d made %#x", r.Value(back), r.Word(word))
		case !r.Ran(closed) || r.Value(closed) != 0:
			return fmt.Errorf("close: %d", r.Value(closed))
		case r.Errno(never) != unix.EBADF:
			return fmt.Errorf("close of nothing: %v", r.Errno(never))
		case r.Errno(read) != unix.EAGAIN || r.Word(letter) != 'c':
			return fmt.Errorf("the last read %d, letter %#x", r.Value(read), r.Word(letter))
		case r.Value(inChild) != r.Value(clone) || r.Value(reaped) != r.Value(clone):
			return fmt.Errorf("clone %d, the child is %d, reaped %d", r.Value(clone), r.Value(inChild), r.Value(reaped))
		case r.Word32(status) != 7<<8:
			return fmt.Errorf("status of the child %#x", r.Word32(status))
		}
		return nil
	}
}

// sixArguments maps pages of the program a second time, with every argument direct, with each of them indirect and with
// all, and stores its process id there. It returns where the ids must then be.
func sixArguments(p *program.Program) (pages [8]program.Addr) {
	const page = 64 << 10 // the largest that arm64 has
	first := (p.Space(len(pages)*page+page) + page - 1) &^ (page - 1)
	for i := range pages {
		pages[i] = first.Plus(i * page)
		at := 0x20000000 + i*page
		values := [6]uint64{uint64(at), page, unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_FIXED_NOREPLACE, 3,
			uint64(pages[i]) - program.Base}
		var args [6]program.Arg
		for j, v := range values {
			if args[j] = program.Int(v); i == j+1 || i == 7 {
				args[j] = program.Word(p.Data(program.Raw(v)))
			}
		}
		p.DoExactly(num(at), program.Sys(unix.SYS_MMAP, args[:]...))
		p.Do(program.Sys(unix.SYS_GETPID)).StoreAt(program.Addr(at))
	}
	return pages
}

// broken demands what cannot be, in the Op at 1.
func broken(p *program.Program) check {
	p.Layer("trial")
	p.Do(program.Sys(unix.SYS_GETPID))
	bad := p.DoExactly(num(-1), program.Sys(unix.SYS_GETPID)).For("self")
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
func end(p *program.Program) check {
	only := p.Do(program.Sys(unix.SYS_GETPID))
	return func(r *program.Results) error {
		if !r.Ran(only) {
			return fmt.Errorf("the Op did not run")
		}
		return nil
	}
}
