package resolve

import (
	"errors"
	"net/netip"
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

const turn = 16 // datagrams that are read in one call

// A try is one question to one nameserver, with a socket of its own: so the kernel chooses another port for each.
type try struct {
	lookup *lookup
	fd     int
	member *loop.Member
	server netip.AddrPort
	tcp    bool
	edns   bool
	asked  asked
	at     time.Time // the end of its time
	out    []byte    // TCP: the bytes that are still to be sent
	in     []byte    // TCP: the answer behind its length of 2 bytes, as far as it has come
}

func newTry(l *lookup, server netip.AddrPort, tcp, edns bool) (*try, error) {
	var id [2]byte
	if n, err := unix.Getrandom(id[:], 0); n != len(id) {
		return nil, os.NewSyscallError("getrandom", err)
	}
	t := &try{lookup: l, server: server, tcp: tcp, edns: edns}
	t.asked = asked{uint16(id[0])<<8 | uint16(id[1]), l.name, l.query.Type}
	t.at = l.resolver.config.Now().Add(l.conf.timeout)
	if t.at.After(l.end) {
		t.at = l.end
	}
	message, err := t.asked.message(make([]byte, 2, 512), edns)
	if err != nil {
		return nil, err
	}
	message[0], message[1] = byte((len(message)-2)>>8), byte(len(message)-2)
	kind, events, ready := unix.SOCK_DGRAM, uint32(unix.EPOLLIN), t.datagrams
	if tcp {
		t.out = message
		kind, events, ready = unix.SOCK_STREAM, unix.EPOLLOUT, t.stream
	}
	if t.fd, err = sock.Connect(server, kind); err != nil {
		return nil, err
	}
	if !tcp {
		if _, err = unix.Write(t.fd, message[2:]); err != nil {
			err = os.NewSyscallError("send", err)
		}
	}
	if err == nil {
		t.member, err = l.resolver.set.Add(t.fd, events, ready)
	}
	if err != nil {
		unix.Close(t.fd)
		return nil, err
	}
	return t, nil
}

// datagrams reads until one is the answer. Others are from a sender that guesses, and change nothing.
func (t *try) datagrams(uint32) {
	buffer := t.lookup.resolver.buffer()
	for range turn {
		n, err := unix.Read(t.fd, buffer)
		if err == unix.EAGAIN || err == unix.EINTR {
			return
		}
		if err != nil {
			t.lookup.failed(os.NewSyscallError("recv", err))
			return
		}
		if t.parsed(buffer[:n]) {
			return
		}
	}
}

// parsed gives an answer to the lookup. It reports whether the packet is one.
func (t *try) parsed(packet []byte) bool {
	r, ours, err := t.asked.parse(packet)
	switch {
	case !ours:
		return false
	case err != nil:
		t.lookup.failed(err)
	default:
		t.lookup.answered(r)
	}
	return true
}

var errStream = errors.New("closed the connection")

// stream sends the question and reads the answer, each behind its length (RFC 1035, section 4.2.2).
func (t *try) stream(uint32) {
	var err error
	if len(t.out) > 0 {
		err = t.send()
	} else {
		err = t.receive()
	}
	if err != nil {
		t.lookup.failed(err)
	}
}

func (t *try) send() error {
	if err := sock.Connected(t.fd); err != nil {
		return err
	}
	n, err := unix.SendmsgN(t.fd, t.out, nil, nil, unix.MSG_NOSIGNAL)
	if err == unix.EAGAIN || err == unix.EINTR {
		return nil
	}
	if err != nil {
		return os.NewSyscallError("send", err)
	}
	if t.out = t.out[n:]; len(t.out) == 0 {
		return t.member.Wait(unix.EPOLLIN)
	}
	return nil
}

// receive reads once: no more than the answer, which has at most 64 KiB.
func (t *try) receive() error {
	left := t.whole() - len(t.in)
	buffer := t.lookup.resolver.buffer()
	n, err := unix.Read(t.fd, buffer[:min(left, len(buffer))])
	if err == unix.EAGAIN || err == unix.EINTR {
		return nil
	}
	if err != nil {
		return os.NewSyscallError("recv", err)
	}
	if n == 0 {
		return errStream
	}
	t.in = append(t.in, buffer[:n]...)
	if len(t.in) >= 2 && len(t.in) == t.whole() && !t.parsed(t.in[2:]) {
		return errors.New("answered another question")
	}
	return nil
}

// whole is how many bytes are read: the length first, then the answer too.
func (t *try) whole() int {
	if len(t.in) < 2 {
		return 2
	}
	return 2 + int(t.in[0])<<8 + int(t.in[1])
}
