package relay

import (
	"bytes"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

func pipe(t *testing.T) (r, w int) {
	t.Helper()
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	return p[0], p[1]
}

// A relay carries every byte in order to a reader that is slower than the writer, and then closes the reader's pipe.
func TestRelay(t *testing.T) {
	in, from := pipe(t)
	out, to := pipe(t)
	defer unix.Close(out)
	w, err := newWriter(to)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(to)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<16) // a megabyte, more than the pipes take
	var got []byte
	var l loop.Loop
	r := newRelay(in, w)
	r.register(&l)
	left := sent
	var source *loop.Source
	source = l.Add(from, unix.POLLOUT, func(int16) {
		n, err := unix.Write(from, left)
		if err == nil {
			left = left[n:]
		}
		if len(left) == 0 {
			source.Remove()
			unix.Close(from)
		}
	})
	l.Add(out, unix.POLLIN, func(int16) {
		b := make([]byte, 777)
		n, err := unix.Read(out, b)
		if n == 0 && err == nil {
			l.End()
		}
		got = append(got, b[:max(n, 0)]...)
	})
	if err := l.Run(); err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%v, %d bytes of %d came", err, len(got), len(sent))
	}
}

// A writer whose reader is gone closes its input, so that the server's next write fails too, and that is no failure to tell of.
func TestReaderGone(t *testing.T) {
	in, from := pipe(t)
	defer unix.Close(from)
	out, to := pipe(t)
	unix.Close(out)
	r := newRelay(in, writer{fd: to})
	r.failed = func(err error) { t.Errorf("told of %v", err) }
	ended := 0
	r.ended = func(input bool) {
		if ended++; input {
			t.Error("the input has not ended")
		}
	}
	unix.Write(from, []byte("x"))
	r.step(true)
	if _, err := unix.Write(from, []byte("x")); err != unix.EPIPE || ended != 1 {
		t.Errorf("%v, ended %d times", err, ended)
	}
}

// A writer does not set O_NONBLOCK on what the host shares with it.
func TestWriterSharesNoFlag(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) int{
		"pipe":   func(t *testing.T) int { var p [2]int; unix.Pipe2(p[:], unix.O_CLOEXEC); return p[1] },
		"socket": func(t *testing.T) int { p, _ := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return p[0] },
		"file": func(t *testing.T) int {
			f, _ := os.CreateTemp(t.TempDir(), "")
			fd, _ := unix.Dup(int(f.Fd()))
			return fd
		},
	} {
		t.Run(name, func(t *testing.T) {
			fd := open(t)
			defer unix.Close(fd)
			w, err := newWriter(fd)
			if err != nil {
				t.Fatal(err)
			}
			defer w.close()
			for range 1000 { // more than a pipe or socket holds
				if _, err := w.write(make([]byte, 4096)); err != nil {
					t.Fatal(err)
				}
			}
			if flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); flags&unix.O_NONBLOCK != 0 {
				t.Error("O_NONBLOCK is set on the host's open file description")
			}
		})
	}
}
