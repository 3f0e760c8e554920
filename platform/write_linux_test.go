package platform

import (
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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
	if err := WriteUntil(fd, []byte("late"), past); err != nil {
		t.Fatalf("into an empty pipe: %v", err)
	}
	var b [8]byte
	if n, err := r.Read(b[:]); string(b[:n]) != "late" || err != nil {
		t.Errorf("read %q, %v", b[:n], err)
	}
	began := time.Now()
	if WriteUntil(fd, make([]byte, 1<<20), began.Add(50*time.Millisecond)) == nil {
		t.Error("a full pipe took more")
	}
	if took := time.Since(began); took < 50*time.Millisecond {
		t.Errorf("given up after %v", took)
	}
	if WriteUntil(fd, []byte("late"), past) == nil {
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
	go func() { done <- WriteUntil(int(f.Fd()), []byte("line"), time.Now().Add(time.Hour)) }()
	select {
	case err = <-done:
		if err == nil {
			t.Error("written")
		}
	case <-time.After(time.Minute):
		t.Error("it tries for ever")
	}
}

// Another process that has both ends of a pipe makes room, and takes it again just when a write was told that there
// is some. The write is not waited for: while one lasts longer than it may, nobody makes room for a second.
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
	const may, cycle, held = 2 * time.Millisecond, 5 * time.Millisecond, 3 * time.Second
	var began atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		b := make([]byte, size)
		unix.Write(also, b)
		for i := time.Duration(0); ; i++ {
			select {
			case <-stop:
				unix.Read(also, b)
				return
			case <-time.After(cycle):
			}
			if at := began.Load(); at != 0 && time.Since(time.Unix(0, at)) > 2*may {
				time.Sleep(held)
			}
			unix.Read(also, b)
			for from := time.Now(); time.Since(from) < i%100*time.Microsecond; {
				continue // until the other has been told
			}
			unix.Write(also, b)
		}
	}()
	waited := 0 // times; one alone may be this process, stopped for that long on a busy machine
	for until := time.Now().Add(3 * time.Second); time.Now().Before(until) && waited < 2; {
		from := time.Now()
		began.Store(from.UnixNano())
		WriteUntil(out, []byte("mcp-sandbox: a line\n"), from.Add(may))
		began.Store(0)
		if time.Since(from) > held*9/10 {
			waited++
			until = time.Now().Add(3 * time.Second)
		}
	}
	close(stop)
	<-stopped
	if waited > 1 {
		t.Error("writes wait for a reader")
	}
}
