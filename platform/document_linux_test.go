package platform

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestInherited(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], 0); err != nil {
		t.Fatal(err)
	}
	own, err := unix.MemfdCreate("own", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		fd    int
		write bool
		want  error
	}{
		{"read end", p[0], false, nil},
		{"read end to write", p[0], true, ErrNotWritable},
		{"write end", p[1], true, nil},
		{"write end to read", p[1], false, ErrNotReadable},
		{"close-on-exec", own, false, ErrNotInherited},
		{"none", 100000, false, ErrClosed},
	} {
		if err := Inherited(c.fd, c.write); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	unix.Close(p[0])
	unix.Close(p[1])
	unix.Close(own)
}

func TestReadDocument(t *testing.T) {
	for _, c := range []struct {
		name, text string
		open       bool // the writer does not close its end
		want       error
	}{
		{"whole", "12345678", false, nil},
		{"empty", "", false, nil},
		{"too long", "123456789", false, ErrTooLong},
		{"too slow", "1234", true, ErrTooSlow},
	} {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		w := os.NewFile(uintptr(p[1]), "writer")
		w.WriteString(c.text)
		if !c.open {
			w.Close()
		}
		patience := time.Minute
		if c.open {
			patience = 50 * time.Millisecond
		}
		b, err := ReadDocument(p[0], 8, patience)
		if !errors.Is(err, c.want) || err == nil && string(b) != c.text {
			t.Errorf("%s: %q, %v, want %v", c.name, b, err, c.want)
		}
		if _, err := unix.FcntlInt(uintptr(p[0]), unix.F_GETFD, 0); err != unix.EBADF {
			t.Errorf("%s: the descriptor is still open: %v", c.name, err)
		}
		w.Close()
	}
}
