package pair

import "golang.org/x/sys/unix"

// This file: calls of connect(2) and bind(2) that come again. A signal that comes with the answer has the kernel make a
// call again, although the answer was taken; then the answer is the same.

// repeats are the calls of one socket.
type repeats struct {
	parked []*call // that wait for the attempt's outcome
	last   *call   // the one that was answered last
	err    error   // so
}

// answer answers a call, and notes that for a repetition.
func (w *repeats) answer(c *call, err error) {
	delivered := c.done(err)
	switch {
	case err == unix.ENOENT: // interrupted before there was an answer
	case !c.again:
		w.last, w.err = c, err
	case delivered:
		w.last = nil
	}
}

// again is the answer to a call, once, if that is the one that was answered last. Else the answer is otherwise.
func (w *repeats) again(c *call, otherwise error) error {
	last := w.last
	if last == nil || last.Thread != c.Thread || last.Number != c.Number ||
		[3]uint64(last.Args[:]) != [3]uint64(c.Args[:]) {
		return otherwise
	}
	c.again = true
	return w.err
}
