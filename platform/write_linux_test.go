package platform_test

import (
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What finds room is written, however late it is; what finds none is given up at its time.
func TestWriteUntil(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fd := int(w.Fd())
	past := time.Now().Add(-time.Second)
	if err := platform.WriteUntil(fd, []byte("late"), past); err != nil {
		t.Fatalf("into an empty pipe: %v", err)
	}
	var b [8]byte
	if n, err := r.Read(b[:]); string(b[:n]) != "late" || err != nil {
		t.Errorf("read %q, %v", b[:n], err)
	}
	began := time.Now()
	if platform.WriteUntil(fd, make([]byte, 1<<20), began.Add(50*time.Millisecond)) == nil {
		t.Error("a full pipe took more")
	}
	if took := time.Since(began); took < 50*time.Millisecond {
		t.Errorf("given up after %v", took)
	}
	if platform.WriteUntil(fd, []byte("late"), past) == nil {
		t.Error("a full pipe took a line")
	}
}

// Some files take nothing and are always ready: that is an error and no reason to try for ever.
func TestWriteUntilOfWhatTakesNothing(t *testing.T) {
	f, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0) // at 0 nothing is mapped
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	done := make(chan error, 1)
	go func() { done <- platform.WriteUntil(int(f.Fd()), []byte("line"), time.Now().Add(time.Hour)) }()
	if testbed.Receive(t, "the end of the tries", done) == nil {
		t.Error("written")
	}
}

// Another process that has both ends of a pipe makes room, and takes it again just when a write was told that there
// is some. The write is not waited for: a writer sleeps in poll(2) alone.
func TestWriteUntilNeverWaits(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	out := int(w.Fd()) // blocking, as a host's
	size, err := unix.FcntlInt(uintptr(out), unix.F_SETPIPE_SZ, 4096)
	if err != nil {
		t.Fatal(err)
	}
	also, err := unix.Open("/proc/self/fd/"+strconv.Itoa(out), unix.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(also)
	line, other := []byte("mcp-sandbox: a line\n"), make([]byte, size)
	unix.Write(also, other)
	var over atomic.Bool
	thread, done := make(chan int, 1), make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		for thread <- unix.Gettid(); !over.Load(); {
			platform.WriteUntil(out, line, time.Now().Add(time.Hour))
		}
	}()
	const poll = 7 // of amd64; elsewhere it is ppoll
	writer, call := <-thread, 0
	sleeps := func() bool {
		call = testbed.Call(unix.Getpid(), writer)
		return call == poll || call == unix.SYS_PPOLL || call == unix.SYS_WRITE || call == unix.SYS_PWRITEV2
	}
	for i := range 2000 {
		testbed.Await(t, "a writer that waits for room", sleeps)
		if call == unix.SYS_WRITE || call == unix.SYS_PWRITEV2 {
			t.Errorf("a write waits for a reader, at try %d", i)
			break
		}
		unix.Read(also, other)
		for range 8 * (i % 100) {
			unix.Getpid() // until the other has been told
		}
		unix.Write(also, other)
	}
	over.Store(true)
	testbed.Await(t, "the writer's end", func() bool {
		unix.Read(also, other)
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
}
