package pair

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A way is how far a stream has come.
type way uint8

const (
	unconnected way = iota
	connecting
	connected // and the call that began that was told that it goes on
	settled   // the server knows
)

// errParked is no answer: that comes later.
var errParked = errors.New("the answer comes later")

// connect answers connect(2).
func (c *call) connect() {
	x, err := c.socket()
	if err == nil {
		err = c.lead(x)
	}
	if errors.Is(err, errUnreadable) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		c.proof.fail(err)
		c.network.Refused("connect")
		err = unix.EACCES
	}
	switch {
	case errors.Is(err, errParked):
	case x == nil:
		c.done(err)
	default:
		x.stream.calls.answer(c, err)
	}
}

// lead connects a socket to the address of the call.
func (c *call) lead(x *socket) error {
	to, err := c.address(x, 1)
	switch {
	case err != nil:
		return err
	case x.kind == unix.SOCK_DGRAM: // to AF_UNSPEC too
		x.peer, x.last = to, netip.AddrPort{}
		c.name(x, to)
		return nil
	case x.stream.way == connecting:
		return c.outcome(x, x.stream.calls.again(c, unix.EALREADY))
	case x.stream.way == connected:
		x.stream.way = settled
		return nil
	case x.stream.way == settled:
		return x.stream.calls.again(c, unix.EISCONN)
	case x.stream.err != 0:
		return x.takeError()
	case !to.IsValid():
		return nil
	case x.end < 0:
		return x.stream.calls.again(c, unix.ECONNABORTED)
	}
	x.member.Remove()
	if !c.network.Connect(x.end, to, &attempt{c.Sockets, x}) {
		if c.watch(x) != nil {
			c.end(x)
		}
		return unix.ECONNREFUSED // at once, and the socket stays as it was
	}
	c.leave(x)
	if x.stream.err != 0 {
		return x.takeError()
	}
	x.peer = to
	c.name(x, to)
	if x.stream.way == connected {
		x.stream.way = settled
		return nil
	}
	x.stream.way = connecting
	return c.outcome(x, unix.EINPROGRESS)
}

// outcome is the answer of a socket that is being connected: pending if that does not block, and else the outcome. A
// call that a signal interrupts is made again, and is the one that waits then.
func (c *call) outcome(x *socket, pending error) error {
	if !c.blocks() {
		return pending
	}
	parked := &x.stream.calls.parked
	*parked = append(slices.DeleteFunc(*parked, (*call).gone), c) // other threads may wait for the same
	return errParked
}

// blocks reports whether the descriptor of the call is one that waits; proc_pid_fdinfo(5).
func (c *waiter) blocks() bool {
	b, err := platform.ReadSmall("/proc/"+strconv.Itoa(c.Thread)+"/fdinfo/"+strconv.Itoa(c.int(0)), 4096)
	_, after, ok := strings.Cut(string(b), "flags:")
	flags, bad := strconv.ParseUint(strings.TrimSpace(strings.SplitN(after, "\n", 2)[0]), 8, 64)
	return err == nil && ok && bad == nil && flags&unix.O_NONBLOCK == 0
}

// takeError is the error of an attempt, once.
func (x *socket) takeError() error {
	err := x.stream.err
	x.stream.err = 0
	return err
}

// An attempt is the connecting of a socket.
type attempt struct {
	*Sockets
	socket *socket
}

// Connected makes the server's end writable, or fail.
func (a *attempt) Connected(end int, err error) {
	x := a.socket
	if err == nil {
		err = relay.Empty(end, x.stream.filled, a.buf[:])
	}
	x.stream.way = connected
	if err != nil {
		x.stream.way, x.stream.err, x.peer = unconnected, refusalOf(err), netip.AddrPort{}
	}
	outcome, calls := x.stream.err, &x.stream.calls
	parked := calls.parked
	*calls = connects{} // no call is pending any more
	for _, c := range parked {
		switch {
		case outcome != 0 && c.refuse(outcome):
			x.stream.err, calls.last, calls.err = 0, c, outcome
		case outcome == 0 && c.succeed():
			x.stream.way, calls.last, calls.err = settled, c, nil
		}
	}
}

func (a *attempt) Ended() {
	calls := &a.socket.stream.calls
	for _, c := range calls.parked { // another thread has closed the descriptor
		c.refuse(unix.ECONNABORTED)
	}
	calls.parked = nil
	a.remember(a.socket)
}

// refusalOf is what connect(2) says for a connection that was not to be had. Of the way to a host the server learns no
// more than of a host in its own network.
func refusalOf(err error) unix.Errno {
	var errno unix.Errno
	if errors.As(err, &errno) {
		switch errno {
		case unix.ETIMEDOUT, unix.EHOSTUNREACH, unix.ENETUNREACH:
			return errno
		}
	}
	return unix.ECONNREFUSED
}
