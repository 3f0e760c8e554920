package egress

import (
	"encoding/binary"
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/dns"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/pair"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

const (
	questionsATurn = 32   // read of one socket
	mostWaiting    = 1024 // questions that wait for the host's resolver
	mostLong       = 64   // connections with questions
	longBuffer     = 4096 // bytes of questions on one connection that are read and not yet answered
)

// questions answers DNS, over datagrams and over streams.
type questions struct {
	engine  *Engine
	waiting int
	long    map[int]*longQuestions
	uses    int // of those, which tells the order of their last uses
	buf     [2048]byte
	oob     [128]byte
}

// serve reads datagrams. A question is longer than 512 bytes only by EDNS options.
func (q *questions) serve(fd int) {
	for range questionsATurn {
		n, oobn, flags, from, err := unix.Recvmsg(fd, q.buf[:], q.oob[:], unix.MSG_DONTWAIT)
		if err != nil || from == nil {
			return
		}
		if flags&unix.MSG_TRUNC != 0 {
			continue
		}
		// From the address that was asked: musl and connected sockets drop other answers.
		source := sourceOf(q.oob[:oobn])
		q.ask(q.buf[:n], false, func(answer []byte) {
			unix.SendmsgN(fd, answer, source, from, unix.MSG_DONTWAIT)
		})
	}
}

// ask answers one packet, at once or later. A packet that is no question is not answered, and ask reports false.
func (q *questions) ask(packet []byte, long bool, reply func([]byte)) bool {
	question, err := dns.Parse(packet)
	if errors.Is(err, dns.ErrDropped) {
		return false
	}
	if long {
		question.Size = dns.SizeTCP
	}
	done := func(a dns.Answer) { reply(question.Answer(nil, a)) }
	switch {
	case err != nil: // the code of the fault is the answer
		done(dns.Answer{})
	case q.waiting == mostWaiting:
		q.engine.denials.limit(limitQuestions)
		done(dns.Answer{Code: dnsmessage.RCodeServerFailure})
	default:
		q.waiting++
		q.answer(&question, func(a dns.Answer) {
			q.waiting--
			done(a)
		})
	}
	return true
}

// sourceOf is the control message that sends an answer from the address to which the question went; ip(7), ipv6(7).
func sourceOf(oob []byte) []byte {
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		switch {
		case m.Header.Level == unix.SOL_IP && m.Header.Type == unix.IP_PKTINFO &&
			len(m.Data) >= unix.SizeofInet4Pktinfo:
			// ipi_spec_dst is the source of an answer; the kernel filled in ipi_addr, the destination of the question.
			return unix.PktInfo4(&unix.Inet4Pktinfo{Spec_dst: [4]byte(m.Data[8:12])})
		case m.Header.Level == unix.SOL_IPV6 && m.Header.Type == unix.IPV6_PKTINFO &&
			len(m.Data) >= unix.SizeofInet6Pktinfo:
			return unix.PktInfo6(&unix.Inet6Pktinfo{Addr: [16]byte(m.Data[:16])})
		}
	}
	return nil
}

// longQuestions is one connection: questions with their lengths in front, RFC 7766.
type longQuestions struct {
	all    *questions
	fd     int
	member *loop.Member
	unread []byte
	open   int // questions without an answer yet
	used   int // when the last question came
	closed bool
	on     pair.Events // or nil
}

func (q *questions) accept(listener int) {
	for range questionsATurn {
		fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			q.engine.accepter.failed(listener, err)
			return
		}
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) // an answer waits for no ACK
		if !q.join(fd, nil) {
			unix.Close(fd)
		}
	}
}

// join answers the questions of a connection, or reports that there are too many connections.
func (q *questions) join(fd int, on pair.Events) bool {
	if len(q.long) >= mostLong && !q.closeIdle() {
		q.engine.denials.limit(limitQuestions)
		return false
	}
	l := &longQuestions{all: q, fd: fd, on: on}
	l.use()
	var err error
	if l.member, err = q.engine.set.Add(fd, unix.EPOLLIN, func(uint32) { l.serve() }); err != nil {
		return false
	}
	if q.long == nil {
		q.long = map[int]*longQuestions{}
	}
	q.long[fd] = l
	if on != nil {
		on.Connected(fd, nil)
		relay.Unprime(fd)
	}
	return true
}

// closeIdle makes room for a new connection: of those without a question that waits the one goes that was idle the
// longest; RFC 7766, section 6.2.3. It reports whether there was one.
func (q *questions) closeIdle() bool {
	var idle *longQuestions
	for _, l := range q.long {
		if l.open == 0 && (idle == nil || l.used < idle.used) {
			idle = l
		}
	}
	if idle != nil {
		idle.close()
	}
	return idle != nil
}

func (l *longQuestions) use() { l.all.uses++; l.used = l.all.uses }

func (l *longQuestions) serve() {
	buf := l.all.buf[:]
	n, err := unix.Read(l.fd, buf)
	if err == unix.EAGAIN || err == unix.EINTR {
		return
	}
	if err != nil || n <= 0 || len(l.unread)+n > longBuffer {
		l.close()
		return
	}
	l.unread = append(l.unread, buf[:n]...)
	for !l.closed {
		packet, rest, ok := dns.Frames(l.unread)
		if !ok {
			return
		}
		packet = append([]byte(nil), packet...)
		l.unread = append(l.unread[:0], rest...)
		l.use()
		l.open++
		if !l.all.ask(packet, true, l.reply) {
			l.open--
		}
	}
}

// reply writes an answer. A client that does not read its answers is left.
func (l *longQuestions) reply(answer []byte) {
	if l.open--; l.closed {
		return
	}
	framed := append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)
	n, err := unix.SendmsgN(l.fd, framed, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
	if n != len(framed) || err != nil {
		l.close()
	}
}

func (l *longQuestions) close() {
	if l.closed {
		return
	}
	l.closed = true
	l.member.Remove()
	delete(l.all.long, l.fd)
	unix.Close(l.fd)
	if l.on != nil {
		l.on.Ended()
	}
}

func (q *questions) close() {
	for _, l := range q.long {
		l.close()
	}
}
