package session

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

// read calls take with each line of the server's standard output, from this goroutine, and returns at its end.
func (b *box) read(take func(line []byte)) {
	defer b.silent.Done()
	b.lines(b.stdout, longestLine, take)
	b.end("")
	io.Copy(io.Discard, b.stdout)
}

// lines calls take with each line, which take may keep.
func (b *box) lines(from io.Reader, longest int, take func(line []byte)) {
	r := bufio.NewReaderSize(from, min(longest, readAtOnce))
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case len(line)+len(part) <= longest:
			line = append(line, part...)
		case longest == longestLine:
			b.end(causeLine)
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

// send hands a message over, which ends without a new line. It waits for a server that does not read. Without an error
// the server may have seen it.
func (b *box) send(ctx context.Context, message []byte) error {
	select {
	case b.in <- append(message, '\n'):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-b.asked:
		return errEnded
	}
}

// tell is send for messages of serve's own, by a goroutine that must not wait. It reports whether there was room.
func (b *box) tell(message []byte) bool {
	select {
	case b.own <- append(message, '\n'):
		return true
	default:
		return false
	}
}

// write is the only writer of the server's standard input. A server that reads nothing holds it until its end.
func (b *box) write() {
	for {
		var message []byte
		select {
		case message = <-b.own:
		case message = <-b.in:
		case <-b.asked:
			return
		}
		if _, err := b.stdin.Write(message); err != nil {
			return // the server has closed it, and may still answer
		}
	}
}
