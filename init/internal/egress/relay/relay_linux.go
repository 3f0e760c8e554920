// Package relay joins two connected sockets, of TCP or ends of AF_UNIX stream pairs, so that the bytes of each go to
// the other: by splice(2) through a few pipes, or through one buffer where no pipe is to be had.
//
//	r := relay.New(set)
//	r.Join(inside, outside, nil, func(e relay.Ended) { ... })
//
// The sockets behave as two ends of one connection: a FIN of one becomes a FIN of the other after the last byte, a
// reset becomes a reset, and a peer that does not read makes the other's writes wait (RFC 9293, sections 3.6 and 3.10).
// There is no idle time-out: keepalive (tcp(7)) finds peers that have gone. Urgent data of TCP is dropped, in the order
// of RFC 6093, which discourages urgent data: the byte that the urgent pointer names is left out. That of a pair's end
// is passed on as ordinary data, in its place.
//
// The memory of a stream does not depend on its peers: there is no buffer of its own. A pipe belongs to a direction
// only while bytes are in the pipe, and a direction without a pipe reads no more from its socket than the other took.
//
// Nothing here is safe for concurrent use: all calls come from the thread that serves the set.
package relay

import (
	"bytes"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
)

const (
	turn   = 1 << 20  // bytes that a direction moves in one call, so that no stream starves another
	buffer = 64 << 10 // bytes of the buffer for directions without a pipe

	keepIdle, keepInterval, keepProbes = 30, 30, 3 // seconds, seconds, probes; tcp(7)

	// Both directions wait for edges: level-triggered, each block would cost an epoll_ctl(2).
	events = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLPRI | unix.EPOLLET&0xffffffff
)

// A Relay is the streams that one set serves.
type Relay struct {
	set    *loop.Set
	live   map[*Stream]struct{}
	pipes  pool
	buf    []byte // made when first needed
	finish bool   // bytes of outside are discarded
	closed bool
	turn   int                               // a test has a shorter one
	splice func(in, out, n int) (int, error) // splice(2); a test has another
}

// A Stream is two joined sockets.
type Stream struct {
	relay           *Relay
	inside, outside leg
	out, in         direction // from inside to outside, and back
	done            func(Ended)
	over            bool
	answered        bool // bytes of inside may have waited for that
}

// Ended is the byte counts of a stream, and the kind of its end.
type Ended struct {
	Sent     int64 // bytes from inside that outside's socket took
	Received int64 // bytes from outside that inside's socket took
	Reset    bool  // not by a FIN from both: both sockets were reset
	Err      error // the errno for which both were reset; nil after Stream.Reset and Relay.Close
}

// A leg is one of a stream's sockets, and the state of that socket since the last edge.
type leg struct {
	fd                 int
	member             *loop.Member
	readable, writable bool
	urgent             bool // has had urgent data, at which splice(2) stops for ever: tcp_read_sock
	primed             bool // the first byte is none of the peer's, and stays unread: [Fill]
}

// New makes a relay with sockets in the set.
func New(set *loop.Set) *Relay {
	return &Relay{set: set, live: map[*Stream]struct{}{}, turn: turn, splice: splice}
}

// Join owns both sockets, connected ones, from here on, whatever happens. prefix is bytes that were read from
// outside already and go to inside first. done is called once: from Set.Serve, Stream.Reset, Relay.Finish or
// Relay.Close, and from Join itself after Close or if epoll_ctl(2) refuses a socket. Both sockets are closed by then.
func (r *Relay) Join(inside, outside int, prefix []byte, done func(Ended)) *Stream {
	s := &Stream{relay: r, inside: leg{fd: inside}, outside: leg{fd: outside}, done: done}
	s.out = direction{from: &s.inside, to: &s.outside}
	s.in = direction{from: &s.outside, to: &s.inside, held: bytes.Clone(prefix)}
	r.live[s] = struct{}{}
	if r.closed {
		s.end(true, nil)
		return s
	}
	s.inside.primed = isPrimed(inside)
	s.out.copies = s.inside.primed
	for _, l := range []*leg{&s.inside, &s.outside} {
		prepare(l)
		var err error
		if l.member, err = r.set.Add(l.fd, events, func(e uint32) { s.ready(l, e) }); err != nil {
			s.end(true, err)
			return s
		}
	}
	if r.finish {
		s.finish()
	}
	return s
}

// prepare sets the options of a relayed socket. None of them fails for a TCP socket; those of TCP do for a pair's end.
func prepare(l *leg) {
	fd, inline := l.fd, 0
	if l.primed {
		inline = 1
	}
	unix.SetNonblock(fd, true)
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_OOBINLINE, inline)
	unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1)
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, keepIdle)
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, keepInterval)
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_KEEPCNT, keepProbes)
}

// Live is how many streams have not ended.
func (r *Relay) Live() int { return len(r.live) }

// Finish is for after the server's end: later bytes of outside are discarded, those of inside are still written, and a
// stream ends once outside has acknowledged all of them and inside's FIN. Close ends those that take too long.
func (r *Relay) Finish() {
	r.finish = true
	for s := range r.live {
		s.finish()
	}
}

// Close resets every stream, and each that is joined later.
func (r *Relay) Close() {
	r.closed = true
	for s := range r.live {
		s.end(true, nil)
	}
	r.pipes.close()
	r.buf = nil
}

// Reset closes both sockets, each with a reset. It does nothing to a stream that has ended.
func (s *Stream) Reset() { s.end(true, nil) }

// ready serves an edge of one leg. An edge tells all that epoll knows of the socket, so either direction may go on.
func (s *Stream) ready(l *leg, e uint32) {
	const failed = unix.EPOLLERR | unix.EPOLLHUP
	l.readable = l.readable || e&(unix.EPOLLIN|failed) != 0
	l.writable = l.writable || e&(unix.EPOLLOUT|failed) != 0
	l.urgent = l.urgent || e&unix.EPOLLPRI != 0
	if l.primed && !l.writable { // that the peer has shut down its reading is an edge, of EPOLLIN for the unread byte
		_, err := send(l.fd, nil)
		l.writable = err == unix.EPIPE
	}
	// Bytes before a reset are passed on as far as the other takes them. A read tells of the reset after the last byte,
	// a write tells at once: so the direction from this leg comes first.
	first, second := &s.out, &s.in
	if l == &s.outside {
		first, second = second, first
	}
	again, err := s.relay.pump(first)
	if again && e&unix.EPOLLERR != 0 {
		return // with the same event
	}
	if err == nil && e&unix.EPOLLERR != 0 {
		err = failure(l.fd)
	}
	if err == nil {
		_, err = s.relay.pump(second)
	}
	if s.answered {
		s.answered = false
		if err == nil {
			_, err = s.relay.pump(&s.out)
		}
	}
	switch {
	case err != nil:
		s.end(true, err)
	case s.finished():
		s.end(false, nil)
	}
}

// finished tells that there is nothing left to do. After Finish that is once outside has acknowledged all, the FIN too,
// of which there is an edge: close(2) before that would lose unacknowledged bytes, if outside says more (RFC 9293,
// section 3.6.1).
func (s *Stream) finished() bool {
	switch {
	case !s.out.ended:
		return false
	case s.in.ended || !s.in.discards:
		return s.in.ended
	}
	n, err := unix.IoctlGetInt(s.outside.fd, unix.SIOCOUTQ)
	return n == 0 || err != nil
}

// failure is the error that a socket has pending.
func failure(fd int) error {
	if e, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && e != 0 {
		return unix.Errno(e)
	}
	return unix.ECONNRESET
}

// finish discards the bytes of outside, and ends the stream if nothing is on its way from inside.
func (s *Stream) finish() {
	s.in.discard(&s.relay.pipes)
	if s.finished() {
		s.end(false, nil)
		return
	}
	// Bytes that came before now have had their edge: ask for another. The loop's end may have lost inside's.
	if err := errors.Join(s.inside.member.Wait(events), s.outside.member.Wait(events)); err != nil {
		s.end(true, err)
	}
}

// end closes both sockets, and tells.
func (s *Stream) end(reset bool, err error) {
	if s.over {
		return
	}
	s.over = true
	r := s.relay
	delete(r.live, s)
	s.in.drop(&r.pipes)
	s.out.drop(&r.pipes)
	for _, l := range []*leg{&s.inside, &s.outside} {
		l.member.Remove()
		switch {
		case reset:
			unix.SetsockoptLinger(l.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
		case l.primed:
			Unprime(l.fd)
		}
		unix.Close(l.fd)
	}
	s.done(Ended{s.out.moved, s.in.moved, reset, err})
}
