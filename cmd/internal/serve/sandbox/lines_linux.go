package sandbox

import (
	"bufio"
	"context"
	"errors"
	"io"
)

const (
	longestLine = 16 << 20 // of a message; a longer one ends the sandbox
	longestNote = 8 << 10  // of a line on standard error; the rest is passed over
	readAtOnce  = 4 << 10
)

// CauseLine is the cause of the end of a server that wrote a longer line.
const CauseLine = "line"

// Read calls take with each line of the server's standard output, from this goroutine, and returns at its end.
func (b *Box) Read(take func(line []byte)) {
	defer b.end.silent.Done()
	b.lines(b.stdout, longestLine, take)
	b.End("")
	io.Copy(io.Discard, b.stdout)
}

// lines calls take with each line, which take may keep.
func (b *Box) lines(from io.Reader, longest int, take func(line []byte)) {
	r := bufio.NewReaderSize(from, min(longest, readAtOnce))
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case len(line)+len(part) <= longest:
			line = append(line, part...)
		case longest == longestLine:
			b.End(CauseLine)
			return
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		}
		if len(line) > 0 {
			take(line)
		}
		if line = nil; err != nil {
			return
		}
	}
}

// Note logs a line that is no message.
func (b *Box) Note(line []byte) { b.log.Line(line) }

// Send hands a message over, which ends without a new line. It waits for a server that does not read. Without an error
// the server may have seen it.
func (b *Box) Send(ctx context.Context, message []byte) error {
	select {
	case b.in <- append(message, '\n'):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-b.end.asked:
		return ErrEnded
	}
}

// Tell is Send for messages of serve's own, by a goroutine that must not wait. It reports whether there was room.
func (b *Box) Tell(message []byte) bool {
	select {
	case b.own <- append(message, '\n'):
		return true
	default:
		return false
	}
}

// write is the only writer of the server's standard input. A server that reads nothing holds it until its end.
func (b *Box) write() {
	for {
		var message []byte
		select {
		case message = <-b.own:
		case message = <-b.in:
		case <-b.end.asked:
			return
		}
		if _, err := b.stdin.Write(message); err != nil {
			return // the server has closed it, and may still answer
		}
	}
}
