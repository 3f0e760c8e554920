package launch

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/notify"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// An Egress takes over the sockets that init has opened in the sandbox's network namespace, in the order of
// [layers.EgressSockets], and answers the requests that arrive at them. Where it fails it has closed them.
type Egress func([]layers.Carried) (Serving, error)

// Pairs has a listener make the sockets of a server that has no network namespace of its own.
type Pairs func(*notify.Listener) (Serving, error)

// A Serving answers the requests at a sandbox's sockets. It is served from the handover on: init proves the sockets by
// using them, before the server is released.
type Serving interface {
	FD() int // to poll for POLLIN
	Serve()  // handles the requests that are there, and does not block
	Begin()  // is called before the server is released: the requests until then were the proofs'
	Close()  // closes the sockets and all that came of them
}

// takeEgress hands the sockets that init sent to the launch's Egress. Without one they are closed.
func takeEgress(a *Attempt, fds []int) error {
	l := a.launch
	expected := layers.EgressSockets(&l.Policy, &a.Machine)
	if len(fds) != len(expected) || a.Egress != nil {
		closeAll(fds)
		return &order.Refusal{Layer: order.Network, Op: "hand over",
			Err: errors.New("other sockets than the expected ones")}
	}
	serve := l.Egress
	if l.Hooks.Egress != nil {
		serve = l.Hooks.Egress
	}
	if serve == nil {
		closeAll(fds)
		return nil
	}
	sockets := make([]layers.Carried, len(fds))
	for i, fd := range fds {
		sockets[i] = layers.Carried{EgressSocket: expected[i], FD: fd}
	}
	serving, err := serve(sockets)
	if err != nil {
		return &order.Refusal{Layer: order.Network, Op: "serve", Err: err}
	}
	a.Egress = serving
	return nil
}

// servePairs has the launch's Pairs make the server's sockets, if the present confinement asks for that.
func servePairs(a *Attempt) (err error) {
	if l := a.launch; pairs(l) && l.Pairs != nil {
		if err := sends(); err != nil {
			return &order.Refusal{Layer: order.Network, Op: "sendto", Err: err}
		}
		if a.Egress, err = l.Pairs(a.Listener); err != nil {
			a.Egress = nil
			return &order.Refusal{Layer: order.Network, Op: "serve", Err: err}
		}
	}
	return nil
}

// sends is EPERM where a packet filter of the launcher's control group, as of a systemd unit with IPAddressDeny=, drops
// what this process sends: it would connect to no host for the server either. The packet goes to the socket itself.
func sends() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil // other proofs tell of that
	}
	defer unix.Close(fd)
	self := unix.Sockaddr(&unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err = unix.Bind(fd, self); err == nil {
		self, err = unix.Getsockname(fd)
	}
	if err == nil {
		err = unix.Sendto(fd, nil, unix.MSG_DONTWAIT, self)
	}
	if err == unix.EPERM {
		return err
	}
	return nil
}

// servedOf is the account of the calls that were answered, where sockets are made.
func servedOf(s Serving) (served layers.Served) {
	if x, ok := s.(interface{ Served() layers.Served }); ok {
		served = x.Served()
	}
	return served
}

// egressFD is the descriptor to poll for requests at a sandbox's sockets, or -1.
func egressFD(s Serving) int {
	if s == nil {
		return -1
	}
	return s.FD()
}

// CloseEgress closes the sandbox's sockets, and all that came of them.
func (s *Sandbox) CloseEgress() {
	if s.Egress != nil {
		s.Egress.Close()
		s.Egress = nil
	}
}
