package relay

import "golang.org/x/sys/unix"

// This file: bytes that may go out only when somebody has seen them.

// A Verdict says what becomes of the first bytes from inside.
type Verdict uint8

// The verdicts.
const (
	Wait   Verdict = iota // more bytes have to be seen
	Pass                  // they go out, and all later ones too
	Refuse                // the stream is reset, and none of them goes out
)

// Hold keeps what inside says in its socket until look has passed that. It is called once, right behind [Relay.Join].
// look gets all that has come, again with more, and no bytes at all for an end of input without any; what outside says
// goes to inside meanwhile.
func (s *Stream) Hold(look func(first []byte) Verdict) { s.out.look = look }

// hold asks whether the bytes of a readable socket may go on.
func (r *Relay) hold(d *direction) (wait bool, err error) {
	n, err := peek(d.from.fd, r.buffer())
	switch {
	case err == unix.EAGAIN:
		d.from.readable = false
		return true, nil
	case err == unix.EINTR:
		return false, nil
	case err != nil:
		return true, err
	}
	switch d.look(r.buf[:n]) {
	case Pass:
		d.look = nil
		return false, nil
	case Refuse:
		return true, unix.EACCES
	}
	d.from.readable = false // until more have come
	return true, nil
}
