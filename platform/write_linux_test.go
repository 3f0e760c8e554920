package platform

import (
	"os"
	"testing"
	"time"
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
