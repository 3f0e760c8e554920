package relay

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// A relay carries bytes from one descriptor to another, or with a guard to two. A relay reads only when all
// earlier bytes are written, so that a slow reader slows the writer down. The loop waits for one of its sides
// at a time.
type relay struct {
	in     int // -1 at its end
	to     [2]writer
	sorter sorter // of bytes that were read and are not yet written
	output bool   // the server's output
	slow   bool   // a read waits if nothing has come: only after poll
	sock   bool   // recv(2) takes MSG_DONTWAIT

	waits   [3]int // the descriptors that are waited for: in, to[0], to[1]; -1: not waited for
	sources [3]*loop.Source

	failed func(error)   // called with the error by which a writer ended, unless its reader is gone; may be nil
	ended  func(in bool) // called at the end of the input, or else of a writer; may be nil
	buf    []byte
}

// A sorter divides the bytes that were read between the two writers, as a [guard.Guard] does.
type sorter interface {
	Take(b []byte)
	End()
	Messages() []byte // for the first writer
	Rest() []byte     // for the second
	Written(messages, rest int)
}

// unsorted has all bytes for the first writer.
type unsorted struct{ left []byte }

func (p *unsorted) Take(b []byte)              { p.left = b }
func (p *unsorted) End()                       {}
func (p *unsorted) Messages() []byte           { return p.left }
func (p *unsorted) Rest() []byte               { return nil }
func (p *unsorted) Written(messages, rest int) { p.left = p.left[messages:] }

// relayed is how many bytes are read at once: the default size of a pipe.
const relayed = 64 << 10

func newRelay(in int, to writer) *relay {
	r := &relay{in: in, to: [2]writer{to, {fd: -1}}, sorter: new(unsorted)}
	r.aim()
	return r
}

func (r *relay) register(l *loop.Loop) {
	write := func(int16) { r.step(!r.slow) }
	r.sources = [3]*loop.Source{l.Add(r.waits[0], unix.POLLIN, func(int16) { r.step(true) }),
		l.Add(r.waits[1], unix.POLLOUT, write), l.Add(r.waits[2], unix.POLLOUT, write)}
}

// step writes the pending bytes, and reads once if none is left. The result reports whether bytes moved.
func (r *relay) step(read bool) (moved bool) {
	moved = r.flush()
	if read && r.in >= 0 && r.idle() {
		moved = r.read() || moved
		moved = r.flush() || moved
	}
	if r.in < 0 && r.idle() {
		r.to[0].close() // the reader sees the end
		r.to[1].close()
	}
	r.aim()
	return moved
}

func (r *relay) idle() bool { return len(r.pending(0)) == 0 && len(r.pending(1)) == 0 }

// pending is the bytes that a writer has to write.
func (r *relay) pending(i int) []byte {
	switch {
	case r.to[i].fd < 0:
		return nil
	case i == 0:
		return r.sorter.Messages()
	}
	return r.sorter.Rest()
}

// read reads once.
func (r *relay) read() bool {
	if r.buf == nil {
		r.buf = make([]byte, relayed)
	}
	n, err := r.receive()
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return false
	case n <= 0: // the end, or EIO of a terminal without another opener
		r.finish(true)
	default:
		r.sorter.Take(r.buf[:n])
	}
	return true
}

func (r *relay) receive() (n int, err error) {
	if r.sock {
		n, _, err = unix.Recvfrom(r.in, r.buf, unix.MSG_DONTWAIT)
		return n, err
	}
	return unix.Read(r.in, r.buf)
}

// unread is how many bytes that were read from the host the server has not read: those that are not written
// yet, and those in the pipe, which is asked by the relay's end of it, or by another descriptor once that is
// closed.
func (r *relay) unread(pipe int) int {
	if fd := r.to[0].fd; fd >= 0 {
		pipe = fd
	}
	return len(r.pending(0)) + readable(pipe)
}

// flush writes the pending bytes. If a writer fails the server learns of it: its pipe breaks.
func (r *relay) flush() (moved bool) {
	var wrote [2]int
	for i := range r.to {
		b := r.pending(i)
		if len(b) == 0 {
			continue
		}
		n, err := r.to[i].write(b)
		wrote[i] = n
		if err != nil {
			r.to[i].close()
			if err != unix.EPIPE && err != unix.ECONNRESET && r.failed != nil {
				r.failed(err)
			}
			if i == 0 {
				r.finish(false)
			}
		}
		moved = moved || n > 0 || err != nil
	}
	if r.to[0].fd < 0 {
		wrote[0] = len(r.sorter.Messages())
	}
	if r.to[1].fd < 0 {
		wrote[1] = len(r.sorter.Rest())
	}
	r.sorter.Written(wrote[0], wrote[1])
	return moved
}

// finish closes the input, at its end or because the reader is gone.
func (r *relay) finish(input bool) {
	if r.in < 0 {
		return
	}
	unix.Close(r.in)
	r.in = -1
	r.sorter.End()
	if r.ended != nil {
		r.ended(input)
	}
}

// aim chooses which descriptors to wait for.
func (r *relay) aim() {
	r.waits = [3]int{-1, -1, -1}
	for i := range r.to {
		if len(r.pending(i)) > 0 {
			r.waits[i+1] = r.to[i].fd
		}
	}
	if r.idle() {
		r.waits[0] = r.in
	}
	for i, fd := range r.waits {
		r.sources[i].Watch(fd)
	}
}
