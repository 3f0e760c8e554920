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

// mostParked is how many calls wait for the outcome of one socket's attempt; of more each is told that it is pending.
const mostParked = 64

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
	blocks, err := c.blocks()
	if err != nil {
		return err
	}
	parked := &x.stream.calls.parked
	if len(*parked) == mostParked {
		*parked = slices.DeleteFunc(*parked, func(c *call) bool { return !c.waits() })
	}
	if !blocks || len(*parked) == mostParked {
		return pending
	}
	*parked = append(*parked, c) // other threads may wait for the same
	return errParked
}

// blocks reports whether the descriptor of the call is one that waits; proc_pid_fdinfo(5).
func (c *waiter) blocks() (bool, error) {
	var b []byte
	err := c.spare.With(func() error {
		return c.outside(func() (err error) { // of an epoll(7) descriptor it waits for whoever uses that
			b, err = platform.ReadSmall("/proc/"+strconv.Itoa(c.Thread)+"/fdinfo/"+strconv.Itoa(c.int(0)), 4096)
			return err
		})
	})
	if !c.waits() {
		return false, unix.ENOENT
	}
	if err != nil {
		return false, err
	}
	_, after, _ := strings.Cut(string(b), "flags:")
	flags, err := strconv.ParseUint(strings.TrimSpace(strings.SplitN(after, "\n", 2)[0]), 8, 64)
	return flags&unix.O_NONBLOCK == 0, err
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
	*calls = repeats{} // no call is pending any more
	for _, c := range parked {
		switch {
		case outcome != 0 && c.refuse(outcome):
			x.stream.err, calls.last, calls.err = 0, c, outcome
		case outcome == 0 && c.returns(0):
			x.stream.way, calls.last, calls.err = settled, c, nil
		}
	}
}

// Ended comes without Connected too, where the server has closed or shut down its end: shutdown(2).
func (a *attempt) Ended() {
	x := a.socket
	for _, c := range x.stream.calls.parked {
		c.refuse(unix.ECONNABORTED)
	}
	x.stream.calls.parked = nil
	if x.stream.way == connecting {
		x.stream.way = unconnected
	}
	a.remember(x)
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
