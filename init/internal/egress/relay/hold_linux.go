package relay

import (
	"bytes"
	"math"

	"golang.org/x/sys/unix"
)

// This file: bytes that may go out only after a look at them.

// A Verdict decides about the first bytes of a direction. A number of them means that so many go out, and that those
// behind them are seen in turn.
type Verdict int

// The verdicts.
const (
	Refuse Verdict = -1          // the stream is reset, and none of the bytes goes out
	Wait   Verdict = 0           // more bytes have to be seen
	Pass   Verdict = math.MaxInt // they go out, and all later ones too
)

// Hold keeps the bytes of inside in its socket until look has passed them. It is called once, right behind
// [Relay.Join]. look gets all that has come, again with more, and no bytes at all for an end of input without any;
// bytes of outside go to inside meanwhile.
func (s *Stream) Hold(look func(first []byte) Verdict) { s.out.look = look }

// Answer is Hold for the bytes of outside. It is called by the look of Hold, which is asked again once this look has
// said more than Wait: the bytes of inside may wait for that.
func (s *Stream) Answer(look func(first []byte) Verdict) {
	s.in.look = func(first []byte) Verdict {
		v := look(first)
		if v != Wait {
			s.inside.readable, s.answered = true, true
		}
		return v
	}
}

// hold asks whether the bytes of a readable socket may go on.
func (r *Relay) hold(d *direction) (wait bool, err error) {
	n, err := d.from.peek(r.buffer())
	switch {
	case err == unix.EAGAIN:
		d.from.readable = false
		return true, nil
	case err == unix.EINTR:
		return false, nil
	case err != nil:
		return true, err
	}
	v := d.look(r.buf[:n])
	switch v {
	case Pass:
		d.look = nil
		n = min(n, mostLooked)
	case Refuse:
		return true, unix.EACCES
	case Wait:
		d.from.readable = false // until more have come
		return true, nil
	}
	// A socket may hold pages of the server's own (sendfile(2), vmsplice(2)), to which the server still writes: the
	// bytes that go out are those that the look has seen.
	n = min(n, int(v))
	if !d.discards {
		d.held = bytes.Clone(r.buf[:n])
	}
	return false, forget(d.from.fd, r.buf[:n])
}

// mostLooked is more than a look decides by, in bytes.
const mostLooked = 16 << 10
