package program

import (
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// open is a program in memory that a runner can run.
func open(t testing.TB) (fd int, p *Builder) {
	t.Helper()
	fd, mem, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Munmap(mem)
		unix.Close(fd)
	})
	return fd, New(mem)
}

// run runs it to its end, with files behind the program, and is its exit status.
func run(t testing.TB, fd int, files ...int) int {
	t.Helper()
	exe, err := Executable()
	if err != nil {
		t.Fatal(err)
	}
	return runExe(t, exe, fd, files...)
}

func runExe(t testing.TB, exe, fd int, files ...int) int {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, err := start(exe, append([]int{0, 1, 2, fd}, files...), -1)
	if err != nil {
		t.Fatal(err)
	}
	return end(t, pid)
}

func end(t testing.TB, pid int) int {
	t.Helper()
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, 0, nil)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			t.Fatal(err)
		}
	}
	if !status.Exited() {
		t.Fatalf("the runner ended with status %#x", uint32(status))
	}
	return status.ExitStatus()
}

func exit(p *Builder, code Arg) { p.Call(Sys(unix.SYS_EXIT_GROUP, code)) }

var zero = Int(0)

// TestDemands runs one demand each, and where it is not met looks who is named.
func TestDemands(t *testing.T) {
	getpid, closed := uintptr(unix.SYS_GETPID), Int(1000)
	lseek := func(p *Builder, v int) Op { // of this file every offset is one: the result is what was asked for
		fd := p.Do(Sys(unix.SYS_OPENAT, Int(unix.AT_FDCWD), Str("/proc/self/mem"), Int(unix.O_RDONLY)))
		return p.Do(Sys(unix.SYS_LSEEK, fd.Result(), Int(v), zero))
	}
	for _, c := range []struct {
		name string
		add  func(p *Builder) Op
		met  bool
	}{
		{"success", func(p *Builder) Op { return p.Do(Sys(getpid)) }, true},
		{"success, refused", func(p *Builder) Op { return p.Do(Sys(unix.SYS_CLOSE, closed)) }, false},
		{"success, the largest result", func(p *Builder) Op { return lseek(p, -4096) }, true},
		{"success, the smallest error", func(p *Builder) Op { return lseek(p, -4095) }, false},
		{"any answer", func(p *Builder) Op { return p.Try(Sys(unix.SYS_CLOSE, closed)) }, true},
		{"a value", func(p *Builder) Op { return p.Do(Sys(unix.SYS_SCHED_YIELD)).Returns(zero) }, true},
		{"a value, another", func(p *Builder) Op { return p.Do(Sys(unix.SYS_SCHED_YIELD)).Returns(Int(1)) }, false},
		{"an errno", func(p *Builder) Op { return p.Ask(Sys(unix.SYS_CLOSE, closed)).Returns(Errno(syscall.EBADF)) }, true},
		{"an errno, another", func(p *Builder) Op { return p.Ask(Sys(unix.SYS_CLOSE, closed)).Returns(Errno(syscall.EPERM)) }, false},
		{"an errno, success", func(p *Builder) Op { return p.Ask(Sys(getpid)).Returns(Errno(syscall.EPERM)) }, false},
		{"all 64 bits", func(p *Builder) Op { return p.Ask(Sys(unix.SYS_CLOSE, closed)).Returns(Int(uint32(1<<32 - 9))) }, false},
		{"a result", func(p *Builder) Op { pid := p.Do(Sys(getpid)); return p.Ask(Sys(getpid)).Returns(pid.Result()) }, true},
		{"a result, another", func(p *Builder) Op { up := p.Do(Sys(unix.SYS_GETPPID)); return p.Ask(Sys(getpid)).Returns(up.Result()) }, false},
		{"a word", func(p *Builder) Op { return p.Ask(Sys(unix.SYS_SCHED_YIELD)).Returns(Word(p.Data(Raw(0)))) }, true},
		{"a word, another", func(p *Builder) Op { return p.Ask(Sys(unix.SYS_SCHED_YIELD)).Returns(Word(p.Data(Raw(1)))) }, false},
	} {
		fd, p := open(t)
		o := c.add(p)
		after := p.Do(Sys(getpid))
		exit(p, Int(5))
		code := run(t, fd)
		r := p.Copy()
		f, broken := p.FirstFailure(r, p.Len(), false)
		if c.met && (code != 5 || broken || !r.Ran(after)) || !c.met && (code != Broken || !broken || f.Op != o || r.Ran(after)) {
			t.Errorf("%s: exit status %d, broken %v %+v", c.name, code, broken, f)
		}
	}
}

func TestExitStatus(t *testing.T) {
	var nowhere Label
	for _, c := range []struct {
		name string
		add  func(p *Builder)
		code int
	}{
		{"zero", func(p *Builder) { exit(p, zero) }, 0},
		{"all ones", func(p *Builder) { exit(p, Int(255)) }, 255},
		{"a word", func(p *Builder) { exit(p, Word(p.Data(Raw(17)))) }, 17},
		{"a result", func(p *Builder) { exit(p, p.Do(Sys(unix.SYS_FCNTL, Int(3), Int(unix.F_DUPFD), Int(70))).Result()) }, 70},
		{"no Op", func(*Builder) {}, Broken},
		{"a kind that there is not", func(p *Builder) {
			p.mem[opAt(p.Load(zero).i)+offKind] = kindNeg + 1
			exit(p, zero)
		}, Broken},
		{"no Op at the end", func(p *Builder) { p.Do(Sys(unix.SYS_GETPID)) }, Broken},
		{"a jump to a label that is nowhere", func(p *Builder) { p.Jump(&nowhere); exit(p, zero) }, Broken},
		{"a jump behind the end", func(p *Builder) {
			var l Label
			p.Jump(&l)
			exit(p, zero)
			p.Bind(&l)
		}, Broken},
	} {
		fd, p := open(t)
		c.add(p)
		if code := run(t, fd); code != c.code {
			t.Errorf("%s: exit status %d, want %d", c.name, code, c.code)
		}
	}
}

// TestNoProgram: a runner whose descriptor 3 is no program ends.
func TestNoProgram(t *testing.T) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(null)
	for _, fd := range []int{null, -1} {
		if code := run(t, fd); code != Broken {
			t.Errorf("descriptor %d: exit status %d", fd, code)
		}
	}
}

// TestBranches loops over the letters in a pipe, and tells them apart.
func TestBranches(t *testing.T) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	if _, err := unix.Write(ends[1], []byte{3, 0, 0, 9}); err != nil {
		t.Fatal(err)
	}
	unix.Close(ends[1])
	var loop, eof, last, wrong Label
	fd, p := open(t)
	letter, marks := p.Space(8), p.Space(64)
	p.Bind(&loop)
	read := p.Call(Sys(unix.SYS_READ, Int(4), Ref(letter), Int(1)))
	p.BranchUnlessOK(&wrong)
	p.BranchUnless(Int(1), &eof)
	p.Ask(Sys(unix.SYS_SCHED_YIELD)).Returns(Word(letter)).Else(&last).StoreAt(marks)
	p.Jump(&loop)
	p.Bind(&wrong)
	exit(p, Int(1))
	p.Bind(&last)
	p.Call(Sys(unix.SYS_DUP, zero)).StoreAt(marks.Plus(8))
	p.Jump(&loop)
	p.Bind(&eof)
	exit(p, Word(letter))
	if code := run(t, fd, ends[0]); code != 9 {
		t.Errorf("exit status %d", code)
	}
	// Two of the four letters are not 0: two copies of descriptor 0 above the five that the runner has.
	if r := p.Copy(); r.Value(read) != 0 || r.Word32(marks.Plus(8)) != 6 || r.Word32(marks.Plus(12)) != 0 {
		t.Errorf("last read %d, last copy %d", r.Value(read), r.Word32(marks.Plus(8)))
	}
}

// TestFork: the child stores nothing and goes on at another Op than its parent.
func TestFork(t *testing.T) {
	var parent Label
	fd, p := open(t)
	status := p.Space(8)
	clone := p.Do(Sys(unix.SYS_CLONE, Int(int(unix.SIGCHLD)), zero, zero, zero, zero)).Returns(zero).Fork().Else(&parent)
	child := p.Do(Sys(unix.SYS_GETPID))
	mother := p.Do(Sys(unix.SYS_GETPPID))
	exit(p, Int(21))
	p.Bind(&parent)
	self := p.Do(Sys(unix.SYS_GETPID))
	reaped := p.Do(Sys(unix.SYS_WAIT4, clone.Result(), Ref(status), zero, zero)).Returns(clone.Result())
	exit(p, Int(22))
	code := run(t, fd)
	r := p.Copy()
	if code != 22 || r.Word32(status) != 21<<8 {
		t.Errorf("parent %d, child %#x", code, r.Word32(status))
	}
	if c := r.Value(clone); c <= 0 || r.Value(child) != c || r.Value(reaped) != c || r.Value(mother) != r.Value(self) {
		t.Errorf("clone %d, child %d of %d, parent %d", c, r.Value(child), r.Value(mother), r.Value(self))
	}
	if f, broken := p.FirstFailure(r, p.Len(), false); broken {
		t.Errorf("broken: %+v", f)
	}
}
