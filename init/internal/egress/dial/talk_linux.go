package dial

import (
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/resolve"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// A lookup is that of the proxy's name, for both families.
type lookup struct {
	left  int  // answers that have not come
	found bool // an address
	err   error
}

// noName is ENOENT in words of names: nothing is a file here.
type noName struct{}

func (noName) Error() string { return "no such name" }
func (noName) Unwrap() error { return unix.ENOENT }

func (l *lookup) pending() bool { return l != nil && l.left > 0 }

// byProxy connects to the proxy: the user's, which may have any address.
func (a *dial) byProxy() {
	p := a.dialer.config.Proxy
	a.proxy = p.String()
	if !a.target.speakable() {
		a.fail(&Error{Step: "name", Err: unix.EINVAL})
		return
	}
	if literal, err := netip.ParseAddr(p.host); err == nil {
		a.race.start(a, []netip.AddrPort{netip.AddrPortFrom(literal, p.port)})
		return
	}
	if a.dialer.config.Resolver == nil {
		a.fail(&Error{Step: "look up", Err: unix.ENOSYS})
		return
	}
	a.lookup = &lookup{left: 2, err: noName{}}
	for _, kind := range [...]dnsmessage.Type{dnsmessage.TypeAAAA, dnsmessage.TypeA} {
		a.dialer.config.Resolver.Lookup(resolve.Query{Name: p.host, Type: kind}, a.resolved)
	}
}

// resolved takes one of the two answers. If the first has addresses the other one has a moment more.
func (a *dial) resolved(answer resolve.Answer) {
	if a.ended {
		return
	}
	p, l := a.dialer.config.Proxy, a.lookup
	l.left--
	if a.talk != nil {
		return // the first family's addresses were good
	}
	var found []netip.AddrPort
	for _, address := range answer.Addresses {
		found = append(found, netip.AddrPortFrom(address, p.port))
	}
	l.found = l.found || len(found) > 0
	if answer.Code == resolve.Failed {
		l.err = answer.Err
	}
	switch {
	case l.left > 0:
		a.race.later(a, found)
	case l.found:
		a.race.add(a, found)
	case p.host == "localhost": // a host without a line for the name
		a.race.start(a, []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), p.port)})
	default:
		a.fail(&Error{Step: "look up", Err: l.err})
	}
}

// A talk is the conversation with the proxy on a connected stream.
type talk struct {
	dial    *dial
	fd      int
	member  *loop.Member
	speaker speaker
	out     []byte // that was not sent yet
}

func (a *dial) converse(fd int) {
	t := &talk{dial: a, fd: fd, speaker: a.dialer.config.Proxy.speaker(a.target)}
	a.talk = t
	a.end = a.dialer.config.Now().Add(whole)
	var err error
	if t.member, err = a.dialer.set.Add(fd, unix.EPOLLIN, t.ready); err != nil {
		a.fail(&Error{Step: "epoll_ctl", Err: err})
		return
	}
	t.send(t.speaker.hello())
}

// send sends, and the rest when the socket takes more.
func (t *talk) send(b []byte) {
	t.out = append(t.out, b...)
	n, err := unix.SendmsgN(t.fd, t.out, nil, nil, unix.MSG_NOSIGNAL)
	switch {
	case err == nil:
		t.out = t.out[n:]
	case err != unix.EAGAIN && err != unix.EINTR:
		t.dial.fail(&Error{Step: "send", Err: err})
		return
	}
	events := uint32(unix.EPOLLIN)
	if len(t.out) > 0 {
		events |= unix.EPOLLOUT
	}
	if err := t.member.Wait(events); err != nil {
		t.dial.fail(&Error{Step: "epoll_ctl", Err: err})
	}
}

// ready looks at the bytes that have come and takes the proxy's own bytes alone from the socket.
func (t *talk) ready(events uint32) {
	if events&unix.EPOLLOUT != 0 {
		if t.send(nil); t.dial.ended {
			return
		}
	}
	if events&^unix.EPOLLOUT == 0 {
		return
	}
	var b [4 << 10]byte
	n, _, err := unix.Recvfrom(t.fd, b[:], unix.MSG_PEEK)
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return
	case err != nil:
		t.dial.fail(&Error{Step: "proxy's answer", Err: err})
		return
	case n == 0:
		t.dial.fail(&Error{Step: "proxy's answer", Err: &Refused{Text: "the proxy closed the connection"}})
		return
	}
	taken, send, ended, err := t.speaker.take(b[:n])
	if err != nil {
		t.dial.fail(&Error{Step: "proxy's answer", Err: err})
		return
	}
	if taken > 0 {
		if _, _, err := unix.Recvfrom(t.fd, b[:taken], 0); err != nil {
			t.dial.fail(&Error{Step: "recv", Err: err})
			return
		}
	}
	switch {
	case ended:
		t.member.Remove()
		fd := t.fd
		t.fd = -1
		t.dial.finish(fd, nil)
	case send != nil:
		t.send(send)
	}
}

func (t *talk) close() {
	if t != nil && t.fd >= 0 {
		t.member.Remove()
		unix.Close(t.fd)
		t.fd = -1
	}
}
