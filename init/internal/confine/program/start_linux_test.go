package program

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// copies are n descriptors of the null device from number least on, the highest first: fork/exec has to move each twice.
func copies(t *testing.T, n, least int) []int {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	fds := make([]int, n)
	for i := range fds {
		if fds[i], err = unix.FcntlInt(null.Fd(), unix.F_DUPFD_CLOEXEC, least); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fds[i]) })
	}
	slices.Reverse(fds)
	return fds
}

// TestDescriptors: a runner has what it was given at its number, and no more, however many and wherever they were.
func TestDescriptors(t *testing.T) {
	for _, c := range []struct{ n, least int }{{0, 0}, {1, 5}, {96, 5}, {96, 540}, {96, 590}, {96, 900}, {560, 5}} {
		fd, p := open(t)
		files := copies(t, c.n, c.least)
		if c.n > 3 {
			files[2] = -1
		}
		for i := range 4 + c.n {
			if i == 6 && c.n > 3 {
				p.Ask(Sys(unix.SYS_FCNTL, Int(i), Int(unix.F_GETFD))).Returns(Errno(unix.EBADF))
				continue
			}
			p.Ask(Sys(unix.SYS_FCNTL, Int(i), Int(unix.F_GETFD))).Returns(zero) // not even close-on-exec
		}
		// Nothing above, but what this process itself was started with and not closed on exec: the rows close that.
		for i := 4 + c.n; i < 1300; i++ {
			if flags, err := unix.FcntlInt(uintptr(i), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
				continue
			}
			p.Ask(Sys(unix.SYS_FCNTL, Int(i), Int(unix.F_GETFD))).Returns(Errno(unix.EBADF))
		}
		exit(p, zero)
		if code := run(t, fd, files...); code != 0 {
			f, _ := p.FirstFailure(p.Copy(), p.Len(), false)
			t.Errorf("%d files from %d: exit status %d, %s", c.n, c.least, code, p.Line(f.Op.Index(), p.Copy()))
		}
	}
	if _, err := Start(make([]int, MaxFiles+1), -1); !errors.Is(err, unix.EMFILE) {
		t.Errorf("too many files: %v", err)
	}
}

// TestFewDescriptors: a shell's `ulimit -n 64` is enough.
func TestFewDescriptors(t *testing.T) {
	fd, p := open(t)
	exit(p, Int(3))
	var old unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(0, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: old.Max}, nil); err != nil {
		t.Fatal(err)
	}
	defer unix.Prlimit(0, unix.RLIMIT_NOFILE, &old, nil)
	if code := run(t, fd); code != 3 {
		t.Errorf("exit status %d", code)
	}
}

// TestSignals: every signal is blocked in the runner, and the starting thread blocks what it blocked before.
func TestSignals(t *testing.T) {
	fd, p := open(t)
	mask := p.Space(8)
	p.Ask(Sys(unix.SYS_RT_SIGPROCMASK, zero, zero, Ref(mask), Int(8)))
	exit(p, zero)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.Sigset_t
	err := unix.PthreadSigmask(unix.SIG_SETMASK, nil, &before)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := Start([]int{0, 1, 2, fd}, -1)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, nil, &after); err != nil || after != before {
		t.Errorf("%v, the thread blocks %#x, want %#x", err, after.Val, before.Val)
	}
	const want = ^uint64(1<<(unix.SIGKILL-1) | 1<<(unix.SIGSTOP-1))
	if code, got := end(t, pid), p.Copy().Word(mask); code != 0 || got != want {
		t.Errorf("exit status %d, blocked %#x, want %#x", code, got, want)
	}
}

// TestSealed: the size of a program cannot be changed by its runner, which would end the shim with SIGBUS.
func TestSealed(t *testing.T) {
	fd, p := open(t)
	eperm := Errno(unix.EPERM)
	p.Ask(Sys(unix.SYS_FTRUNCATE, Int(3), zero)).Returns(eperm)
	p.Ask(Sys(unix.SYS_FTRUNCATE, Int(3), Int(2*Size))).Returns(eperm)
	p.Ask(Sys(unix.SYS_FCNTL, Int(3), Int(unix.F_ADD_SEALS), Int(unix.F_SEAL_WRITE))).Returns(eperm)
	other := p.Do(Sys(unix.SYS_MEMFD_CREATE, Str("control"), zero))
	p.Do(Sys(unix.SYS_FTRUNCATE, other.Result(), Int(Size)))
	p.Do(Sys(unix.SYS_FTRUNCATE, other.Result(), zero))
	exit(p, Int(4))
	if code := run(t, fd); code != 4 {
		f, _ := p.FirstFailure(p.Copy(), p.Len(), false)
		t.Errorf("exit status %d, %s", code, p.Line(f.Op.Index(), p.Copy()))
	}
}

// TestLargeData uses the last bytes of the memory, as text, as a word, and for results.
func TestLargeData(t *testing.T) {
	fd, p := open(t)
	p.Space(Size - dataFrom - 24)
	text := p.String("/proc/self")
	last := p.Space(8)
	if p.Full() || last != Base+Size-8 {
		t.Fatalf("full %v, the last word is at %#x", p.Full(), last)
	}
	dir := p.Do(Sys(unix.SYS_OPENAT, Int(unix.AT_FDCWD), Ref(text), Int(unix.O_PATH))).StoreAt(last.Plus(4))
	p.Do(Sys(unix.SYS_FCNTL, Word(last.Plus(4)-4), Int(unix.F_GETFD))) // the low half of the last word is descriptor 0
	p.Call(Sys(unix.SYS_FCNTL, dir.Result(), Int(unix.F_DUPFD), Int(33))).StoreAt(last)
	exit(p, Word(last))
	if code := run(t, fd); code != 33 {
		t.Errorf("exit status %d", code)
	}
	if r := p.Copy(); int64(r.Word32(last.Plus(4))) != r.Value(dir) || r.Value(dir) < 4 {
		t.Errorf("descriptor %d, stored %d", r.Value(dir), r.Word32(last.Plus(4)))
	}
	if p.Space(1); !p.Full() {
		t.Error("not full")
	}
}
