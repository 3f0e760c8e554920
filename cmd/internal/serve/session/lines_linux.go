package session

import (
	"bytes"
	"io"
	"iter"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	longestLine = 16 << 20 // of a message; a longer one ends the sandbox
	longestNote = 8 << 10  // of a line on standard error; the rest is passed over
	readAtOnce  = 4 << 10
)

// read calls take with each line of the server's standard output, from this goroutine, and returns at its end.
func (b *box) read(take func(line []byte)) {
	defer b.silent.Done()
	b.lines(b.stdout, longestLine, take)
	b.end("")
	io.Copy(io.Discard, b.stdout)
}

// lines calls take with each line, which take may keep.
func (b *box) lines(from io.Reader, longest int, take func(line []byte)) {
	var line []byte
	for read := range reads(from) {
		for part := range bytes.Lines(read) {
			text, ends := bytes.CutSuffix(part, []byte("\n"))
			if room := longest - len(line); len(text) > room {
				if longest == longestLine {
					b.end(causeLine)
					return
				}
				text = text[:room]
			}
			if line = append(line, text...); ends && len(line) > 0 {
				take(line)
				line = nil
			}
		}
	}
	if len(line) > 0 {
		take(line)
	}
}

// buffers are for what is read in one call: a sandbox that says nothing has none.
var buffers = sync.Pool{New: func() any { return new([readAtOnce]byte) }}

// reads are what is read from a pipe until its end, each until the next.
func reads(from io.Reader) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		pipe, err := from.(syscall.Conn).SyscallConn()
		for err == nil {
			var buffer *[readAtOnce]byte
			var n int
			err = pipe.Read(func(fd uintptr) bool {
				buffer = buffers.Get().(*[readAtOnce]byte)
				var errno error
				if n, errno = unix.Read(int(fd), buffer[:]); errno == unix.EAGAIN {
					buffers.Put(buffer)
					return false
				}
				return true
			})
			if err != nil || n <= 0 || !yield(buffer[:n]) {
				return
			}
			buffers.Put(buffer)
		}
	}
}
