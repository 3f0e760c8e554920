package relay

// This file: one direction of a stream.

import "golang.org/x/sys/unix"

// A direction takes bytes from one leg to the other. Bytes under way are held first, then in the pipe, then still in
// from's socket.
type direction struct {
	from, to *leg
	held     []byte // to be written before the bytes in the pipe
	pipe     *pipe  // nil unless bytes are in the pipe
	moved    int64  // bytes that to's socket took
	copies   bool   // splice(2) has refused these sockets
	discards bool   // bytes of from go nowhere
	eof      bool   // from has said all
	ended    bool   // eof was passed on to to, or discarded

	look func(first []byte) Verdict // nil: all bytes of from may go on
}

// pump moves bytes until a socket has no more or takes no more, or until the direction has had its turn: again tells
// that there will be another. An error ends the stream.
func (r *Relay) pump(d *direction) (again bool, err error) {
	for left := r.turn; !d.ended; {
		if err := r.flush(d); d.unread(err) {
			d.discard(&r.pipes)
			continue
		} else if err != nil {
			return false, err
		}
		switch {
		case d.pipe != nil || len(d.held) > 0:
			return false, nil // until to's next edge
		case d.eof:
			d.ended = true
			if d.discards {
				return false, nil
			}
			return false, unix.Shutdown(d.to.fd, unix.SHUT_WR)
		case !d.from.readable || !d.to.writable && !d.discards:
			return false, nil
		case d.look != nil:
			if wait, err := r.hold(d); wait || err != nil {
				return false, err
			}
			continue
		case left <= 0:
			// Bytes may be left, of which no edge will tell: epoll_ctl(2) makes a new one.
			d.from.readable = false
			err := d.from.member.Wait(events)
			return err == nil, err
		}
		n, err := r.take(d)
		switch {
		case d.unread(err):
			d.discard(&r.pipes)
		case err != nil:
			return false, err
		}
		left -= n
	}
	return false, nil
}

// unread reports an error of writing to a peer that reads no more, and may write still. TCP takes such bytes, and
// AF_UNIX refuses them.
func (d *direction) unread(err error) bool { return err == unix.EPIPE && d.to.primed && !d.discards }

// take reads from a socket that was readable, with nothing under way.
func (r *Relay) take(d *direction) (int, error) {
	if d.discards {
		buf := r.buffer()
		n, err := discard(d.from.fd, buf)
		return d.took(n, err)
	}
	if !d.copies && !d.from.urgent {
		if p := r.pipes.get(); p != nil {
			n, err := r.splice(d.from.fd, p.in, pipeSize)
			if n > 0 {
				p.n, d.pipe = n, p
				return n, nil
			}
			r.pipes.put(p)
			if !unfit(err) {
				return d.took(n, err)
			}
			d.copies = true
		}
	}
	return r.copy(d)
}

// unfit tells that splice(2) does not work with these descriptors, or not now.
func unfit(err error) bool {
	return err == unix.EINVAL || err == unix.ENOMEM || err == unix.ENOSYS || err == unix.EPERM
}

// took notes the result of a read of from's socket.
func (d *direction) took(n int, err error) (int, error) {
	switch {
	case err == unix.EAGAIN:
		d.from.readable = false
		return 0, nil
	case err == unix.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	}
	d.eof = n == 0
	return n, nil
}

// gave notes the result of a write to to's socket.
func (d *direction) gave(n int, err error) (int, error) {
	switch {
	case err == unix.EAGAIN:
		d.to.writable = false
		return 0, nil
	case err == unix.EINTR:
		return 0, nil
	case err != nil:
		return 0, err
	}
	d.moved += int64(n)
	return n, nil
}

// copy goes through the one buffer: bytes that to's socket does not take stay in from's, so nothing is held here.
func (r *Relay) copy(d *direction) (int, error) {
	n, err := d.from.peek(r.buffer())
	if n, err = d.took(n, err); n == 0 {
		return 0, err
	}
	peeked := n
	if n, err = send(d.to.fd, r.buf[:peeked]); n > 0 {
		d.to.writable = n == peeked // epoll(7): an edge comes after a short write too
		if err := forget(d.from.fd, r.buf[:n]); err != nil {
			return 0, err
		}
	}
	return d.gave(n, err)
}

// forget takes bytes that were peeked at from the socket.
func forget(fd int, b []byte) error {
	for len(b) > 0 {
		got, err := discard(fd, b)
		switch {
		case err == unix.EAGAIN:
			return nil // an urgent pointer has come since, for one of the bytes: it is gone
		case err == nil && got == 0:
			return unix.EIO
		case err != nil && err != unix.EINTR:
			return err
		}
		b = b[max(got, 0):]
	}
	return nil
}

func (r *Relay) buffer() []byte {
	if r.buf == nil {
		r.buf = make([]byte, buffer)
	}
	return r.buf
}

// flush writes the bytes under way, as far as to's socket takes them.
func (r *Relay) flush(d *direction) error {
	for d.to.writable && (len(d.held) > 0 || d.pipe != nil) {
		var n int
		var err error
		switch {
		case len(d.held) > 0:
			if n, err = d.gave(send(d.to.fd, d.held)); len(d.held) == n {
				d.held = nil
			} else {
				d.held = d.held[n:]
			}
		case d.copies:
			// splice(2) took these bytes from one socket, and was refused by the other.
			d.held = make([]byte, min(buffer, d.pipe.n))
			if n, err = unix.Read(d.pipe.out, d.held); err == nil {
				d.held = d.held[:n]
				d.empty(&r.pipes, n)
			}
		default:
			if n, err = r.splice(d.pipe.out, d.to.fd, d.pipe.n); unfit(err) {
				d.copies = true
				continue
			}
			if n, err = d.gave(n, err); n > 0 {
				d.empty(&r.pipes, n)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// empty notes that n bytes have left the pipe, which is free once none is left.
func (d *direction) empty(pipes *pool, n int) {
	if d.pipe.n -= n; d.pipe.n == 0 {
		pipes.put(d.pipe)
		d.pipe = nil
	}
}

// discard makes the direction lead nowhere.
func (d *direction) discard(pipes *pool) {
	d.drop(pipes)
	d.discards = true
}

// drop discards the bytes under way.
func (d *direction) drop(pipes *pool) {
	if d.pipe != nil {
		pipes.lose(d.pipe)
	}
	d.pipe, d.held = nil, nil
}
