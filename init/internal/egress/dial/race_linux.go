package dial

import (
	"errors"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// A race is the connects of one dial (RFC 8305, section 5).
type race struct {
	dial    *dial
	left    []netip.AddrPort // that were not tried yet
	runners []*runner
	next    time.Time // when one more is tried; the zero time: only when one fails
	last    *Error
}

// A runner is a socket that is connecting.
type runner struct {
	fd     int
	to     netip.AddrPort
	member *loop.Member
}

func (r *race) start(a *dial, addresses []netip.AddrPort) {
	r.dial, r.left = a, addresses
	if r.last == nil {
		r.last = &Error{Step: "connect", Err: unix.EADDRNOTAVAIL} // if there is no address
	}
	r.another()
}

// later starts soon, if there are addresses: those of the other family may still come.
func (r *race) later(a *dial, addresses []netip.AddrPort) {
	if len(addresses) > 0 {
		r.dial, r.left, r.next = a, addresses, a.dialer.config.Now().Add(resolutionDelay)
	}
}

// add starts with the addresses of both families, or adds to a race that has started.
func (r *race) add(a *dial, addresses []netip.AddrPort) {
	all := interleave(append(addresses, r.left...), false)
	if len(r.runners) == 0 {
		r.start(a, all)
		return
	}
	r.left = all
	if r.next.IsZero() && len(r.left) > 0 && len(r.runners) < mostRacing {
		r.next = a.dialer.config.Now().Add(nextAfter)
	}
}

// more reports whether the race may have one more socket: each may have one, and all races together have few besides,
// for the owner of a name chooses how many addresses do not answer.
func (r *race) more() bool {
	d := r.dial.dialer
	return len(r.runners) == 0 || len(r.runners) < mostRacing && d.runners < len(d.dials)+mostBesides
}

// another begins the next connect, and those behind each that fails at once.
func (r *race) another() {
	r.next = time.Time{}
	for len(r.left) > 0 && r.more() {
		to := r.left[0]
		r.left = r.left[1:]
		fd, err := sock.Connect(to, unix.SOCK_STREAM)
		if err == nil {
			w := &runner{fd: fd, to: to}
			if w.member, err = r.dial.dialer.set.Add(fd, unix.EPOLLOUT, func(uint32) { r.ready(w) }); err == nil {
				r.runners = append(r.runners, w)
				r.dial.dialer.runners++
				break
			}
			unix.Close(fd)
			err = os.NewSyscallError("epoll_ctl", err)
		}
		r.last = failure(to, err)
	}
	switch {
	case len(r.runners) == 0 && r.dial.lookup.pending(): // resolved adds to the race
	case len(r.runners) == 0:
		r.dial.fail(r.last)
	case len(r.left) > 0 && len(r.runners) < mostRacing:
		r.next = r.dial.dialer.config.Now().Add(nextAfter)
	}
}

// ready takes a socket that is connected or has failed.
func (r *race) ready(w *runner) {
	w.member.Remove()
	r.runners = slices.DeleteFunc(r.runners, func(other *runner) bool { return other == w })
	r.dial.dialer.runners--
	if err := sock.Connected(w.fd); err != nil {
		unix.Close(w.fd)
		r.last = failure(w.to, err)
		r.another()
		return
	}
	r.close()
	r.dial.connected(w.fd)
}

// close closes those that have not connected.
func (r *race) close() {
	for _, w := range r.runners {
		w.member.Remove()
		unix.Close(w.fd)
		r.dial.dialer.runners--
	}
	r.runners, r.left, r.next = nil, nil, time.Time{}
}

// failure is an error of package sock with its call as the step.
func failure(to netip.AddrPort, err error) *Error {
	e := &Error{Step: "connect", Address: to, Err: err}
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		e.Step, e.Err = call.Syscall, call.Err
	}
	return e
}
