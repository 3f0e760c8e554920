package supervise

import (
	lines "github.com/security-mcp/mcp-sandbox/init/internal/guard"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"golang.org/x/sys/unix"
)

// A relay carries bytes from one descriptor to another, or with a guard to two. It reads only when everything it has read
// is written, so that a slow reader slows the writer; it waits in the shim's one poll, for one of its sides at a time.
type relay struct {
	in     int // -1 at its end
	to     [2]outlet
	left   []byte       // not yet written
	sort   *lines.Guard // nil: everything goes to the first outlet
	output bool         // it carries what the server writes
	slow   bool         // a read waits if nothing has come, so poll has to say that something did
	sock   bool         // recv(2) can be told not to wait

	waits   [3]int // what is polled: in, to[0], to[1]; each -1 if it is not waited for
	sources [3]*loop.Source
	failed  func(error)   // told why an outlet takes no more, unless its reader is gone; may be nil
	ended   func(in bool) // told of an input that is over, or else of an outlet that is; may be nil
	buf     []byte
}

// relayed is how much is read at once: the default size of a pipe.
const relayed = 64 << 10

func newRelay(in int, to outlet) *relay {
	r := &relay{in: in, to: [2]outlet{to, {fd: -1}}}
	r.aim()
	return r
}

// register has a loop wait for whichever of its sides the relay waits for.
func (r *relay) register(l *loop.Loop) {
	written := func(int16) { r.step(!r.slow) }
	r.sources = [3]*loop.Source{l.Add(r.waits[0], unix.POLLIN, func(int16) { r.step(true) }),
		l.Add(r.waits[1], unix.POLLOUT, written), l.Add(r.waits[2], unix.POLLOUT, written)}
}

// registerStdio has the shim's loop wait for the server's terminal and relays.
func (s *shim) registerStdio() {
	// A limit of a log's size is an error of write(2) then. Not before: the server would inherit it.
	signals.Ignore(unix.SIGXFSZ)
	s.terminal.hangs = s.loop.Add(s.terminal.hangup, 0, func(int16) { s.hungUp() })
	for _, r := range s.stdio.relays {
		r.register(&s.loop)
	}
}

// step writes what can be written, and reads once if nothing is left. It reports whether anything moved.
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

func (r *relay) pending(i int) []byte {
	switch {
	case r.to[i].fd < 0:
		return nil
	case r.sort == nil && i == 0:
		return r.left
	case r.sort == nil:
		return nil
	case i == 0:
		return r.sort.Messages()
	}
	return r.sort.Rest()
}

// read takes what has come, once.
func (r *relay) read() bool {
	if r.buf == nil {
		r.buf = make([]byte, relayed)
	}
	n, err := r.receive()
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return false
	case n <= 0: // the end, or EIO of a terminal that nobody has open any more
		r.finish(true)
	case r.sort != nil:
		r.sort.Take(r.buf[:n])
	default:
		r.left = r.buf[:n]
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

// unread is how much of what was carried into the server's pipe the server has not read: what is on its way, and what is in
// the pipe, by its own end or else by another one.
func (r *relay) unread(rest int) int {
	fd := r.to[0].fd
	if fd < 0 {
		fd = rest
	}
	return len(r.left) + waiting(fd)
}

// flush writes what is left. Nobody can be told what an outlet did not take but the writer: its pipe breaks.
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
	if r.sort == nil {
		r.left = r.left[wrote[0]:]
		return moved
	}
	if r.to[0].fd < 0 {
		wrote[0] = len(r.sort.Messages())
	}
	if r.to[1].fd < 0 {
		wrote[1] = len(r.sort.Rest())
	}
	r.sort.Written(wrote[0], wrote[1])
	return moved
}

// finish is the end of the input, or of everything.
func (r *relay) finish(input bool) {
	if r.in < 0 {
		return
	}
	unix.Close(r.in)
	r.in = -1
	if r.sort != nil {
		r.sort.End()
	}
	if r.ended != nil {
		r.ended(input)
	}
}

// aim chooses what to wait for.
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
