package signals

import (
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// next waits for a signal.
func next(t *testing.T, fd int) (s unix.Signal) {
	t.Helper()
	testbed.Await(t, "a signal", func() bool {
		s = Next(fd)
		return s != 0
	})
	return s
}

func TestEachSignalIsItsNumber(t *testing.T) {
	list := []unix.Signal{unix.SIGUSR1, unix.SIGUSR2, unix.SIGHUP, unix.SIGWINCH}
	for _, s := range list { // under nohup(1) SIGHUP is ignored, and would stay so
		if err := sigaction(s, &action{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	fd, err := Open(list...)
	if err != nil {
		t.Fatal(err)
	}
	if s := Next(fd); s != 0 {
		t.Fatalf("%v before any was sent", s)
	}
	for _, s := range list {
		if err := unix.Kill(unix.Getpid(), s); err != nil {
			t.Fatal(err)
		}
		if got := next(t, fd); got != s {
			t.Errorf("sent %v, read %v", s, got)
		}
	}
}

// Whatever thread the signal hits and whatever it was doing, the program goes on as if nothing had been.
func TestHandlerDisturbsNothing(t *testing.T) {
	fd, err := Open(unix.SIGUSR1)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for sum := 0; ; sum++ {
				select {
				case <-stop:
					return
				default:
				}
				b := make([]int, 1000)
				for i := range b {
					b[i] = i
				}
				if b[999] != 999 {
					panic("memory")
				}
				if sum%100 == 0 {
					runtime.GC()
				}
			}
		}()
	}
	caught := 0
	for range 2000 {
		unix.Kill(unix.Getpid(), unix.SIGUSR1)
		if next(t, fd) == unix.SIGUSR1 {
			caught++
		}
	}
	close(stop)
	wg.Wait()
	if caught != 2000 {
		t.Errorf("sent 2000 signals, each read before the next, and read %d", caught)
	}
}

func TestIgnoredStaysIgnored(t *testing.T) {
	old := action{handler: ignored}
	if err := sigaction(unix.SIGURG, &old, nil); err != nil { // the runtime can do without: it only preempts less
		t.Fatal(err)
	}
	fd, err := Open(unix.SIGURG, unix.SIGUSR2)
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread() // a signal that a thread sends itself has arrived when the call returns
	defer runtime.UnlockOSThread()
	for s, want := range map[unix.Signal]unix.Signal{unix.SIGURG: 0, unix.SIGUSR2: unix.SIGUSR2} {
		unix.Tgkill(unix.Getpid(), unix.Gettid(), s)
		if got := Next(fd); got != want {
			t.Errorf("sent %v, read %v, want %v: one was ignored", s, got, want)
		}
	}
}

// A flood of one signal takes no room from those of another pipe.
func TestFullPipeLosesNoOther(t *testing.T) {
	many, err := Open(unix.SIGUSR1)
	if err != nil {
		t.Fatal(err)
	}
	one, err := Open(unix.SIGUSR2)
	if err != nil {
		t.Fatal(err)
	}
	for room := make([]byte, 4096); err == nil; { // as if so many had come
		_, err = unix.Write(int(writeEnds[unix.SIGUSR1]), room)
	}
	unix.Kill(unix.Getpid(), unix.SIGUSR1)
	unix.Kill(unix.Getpid(), unix.SIGUSR2)
	if got := next(t, one); got != unix.SIGUSR2 {
		t.Errorf("read %v beside a full pipe", got)
	}
	if n, err := unix.IoctlGetInt(many, unix.TIOCINQ); err != nil || n < 4096 {
		t.Errorf("the other pipe has %d bytes, %v: it was not full", n, err)
	}
}

// What was ignored is caught again by [Catch], and what the thread was started with blocked by Open.
func TestCaughtAgain(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set unix.Sigset_t
	set.Val[0] = 1 << (unix.SIGIO - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil); err != nil {
		t.Fatal(err)
	}
	if err := Ignore(unix.SIGIO); err != nil {
		t.Fatal(err)
	}
	fd, err := Open(unix.SIGIO)
	if err != nil {
		t.Fatal(err)
	}
	unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGIO)
	if s := Next(fd); s != 0 {
		t.Errorf("read %v, which was ignored", s)
	}
	if err := Catch(unix.SIGIO); err != nil {
		t.Fatal(err)
	}
	unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGIO)
	if s := next(t, fd); s != unix.SIGIO {
		t.Errorf("read %v after Catch", s)
	}
}
