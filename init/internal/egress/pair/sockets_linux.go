package pair

import (
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/relay"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/sock"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A Network is where sockets lead.
type Network interface {
	// Connect joins a pair's end with a connection to the address, and owns the end from here on. It is false if the
	// policy refuses the address: then the end is the caller's still.
	Connect(end int, to netip.AddrPort, on Events) bool
	// Serve does a piece of the work that there is.
	Serve()
	// Ask answers a datagram to port 53, at once or later, or never. It is false for one that is no question.
	Ask(packet []byte, reply func([]byte)) bool
	// Lost tells of a datagram to another port, which goes nowhere.
	Lost(to netip.AddrPort)
	// Refused tells of a call that this network has not got.
	Refused(call string)
	// Full tells of sockets that were refused for a limit, or for want of descriptors: err, if it is one.
	Full(err error)
}

// Events are those of one connection, in this order; the first may come before Connect returns.
type Events interface {
	Connected(end int, err error) // with an error the end is closed next
	Ended()                       // the end is closed
}

const (
	mostIdle      = 512  // streams that are not connected, with 64 kB of the kernel's each
	mostDatagrams = 256  // sockets of datagrams
	mostEnded     = 4096 // sockets whose end is closed here, and perhaps not by the server
)

// Sockets are those of one server.
type Sockets struct {
	network  Network
	set      *loop.Set
	loop     *loop.Loop
	answers  map[uint32]func(*call)
	known    map[uint64]*socket // by the inode number of the server's end
	count    map[int]int        // of sockets with an end here, by their kinds
	ended    []*socket          // the oldest first
	nextPort uint16             // that a socket is said to have
	spare    sock.Spare
	proof    *proof         // nil once the server runs
	buf      [64 << 10]byte // whose bytes do not matter
}

// A socket is one that the server has, or has had.
type socket struct {
	inode   uint64
	end     int // the other one of the pair; -1: handed over, or closed
	family  int // AF_INET or AF_INET6
	kind    int // SOCK_STREAM or SOCK_DGRAM
	member  *loop.Member
	local   netip.AddrPort // said to be bound to it
	peer    netip.AddrPort // not valid: not connected
	stream  stream
	last    netip.AddrPort // of datagrams: where the last one with an address went
	bound   bool
	options map[option][]byte
}

// A stream is how far a socket of TCP has come.
type stream struct {
	filled int        // bytes that keep it from being writable until it is connected
	way    way        // to a connection
	err    unix.Errno // of the last attempt, until the server has asked; socket(7), SO_ERROR
	calls  repeats    // of connect(2), and bind(2)
}

// New is no socket yet. The set has the ends that are not connected; the loop serves it, and goes on while an answer
// waits. name is the name of a call's number.
func New(n Network, set *loop.Set, on *loop.Loop, name func(number uint32) string) *Sockets {
	s := &Sockets{network: n, set: set, loop: on, known: map[uint64]*socket{}, count: map[int]int{},
		answers: map[uint32]func(*call){},
		proof:   &proof{name: name, calls: map[string]int{}, Served: layers.Served{Made: map[uint64]int{}}}}
	byName := map[string]func(*call){"socket": (*call).make, "connect": (*call).connect, "bind": (*call).bind,
		"listen": (*call).listen, "getsockname": (*call).names, "getpeername": (*call).names,
		"getsockopt": (*call).getOption, "setsockopt": (*call).setOption,
		"sendto": (*call).sendTo, "recvfrom": (*call).receiveFrom, "recvmsg": (*call).receive}
	for number := range uint32(512) {
		if answer := byName[name(number)]; answer != nil {
			s.answers[number] = answer
		}
	}
	s.spare.Open()
	return s
}

// Answers is for notify.
func (s *Sockets) Answers(number uint32) bool { return s.answers[number] != nil }

// Answer is for notify.
func (s *Sockets) Answer(listener int, n platform.Notification) {
	s.proof.count(n.Number)
	s.answers[n.Number](&call{waiter: waiter{n, listener, s.loop, &s.spare}, Sockets: s})
}

// make answers socket(2) with an end of a new pair, or an errno.
func (c *call) make() {
	x := &socket{end: -1, family: c.int(0), kind: c.int(1) &^ (unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC)}
	// A pair of datagrams would do for neither: its ends can be connected anew, and send anywhere.
	kind, most, protocol := unix.SOCK_STREAM, mostIdle, unix.IPPROTO_TCP
	if x.kind == unix.SOCK_DGRAM {
		kind, most, protocol = unix.SOCK_SEQPACKET, mostDatagrams, unix.IPPROTO_UDP
	}
	if p := c.int(2); p != 0 && p != protocol {
		c.refuse(unix.EPROTONOSUPPORT)
		return
	}
	if c.count[x.kind] >= most { // perhaps the server has closed some, and the set has not come to those events yet
		c.network.Serve()
	}
	if c.count[x.kind] >= most {
		c.network.Full(nil)
		c.refuse(unix.ENFILE)
		return
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		c.network.Full(err)
		c.refuse(unix.ENFILE)
		return
	}
	x.end = ends[0]
	// An end that is passed to its own other end would outlive the server's descriptors. EPERM for the server then.
	_ = unix.SetsockoptInt(x.end, unix.SOL_SOCKET, unix.SO_PASSRIGHTS, 0) // Linux 6.16
	if kind == unix.SOCK_STREAM {
		x.stream.filled, err = relay.Fill(ends[0], ends[1], c.buf[:])
	}
	if err == nil {
		err = c.keep(x, ends[1], c.int(1)&unix.SOCK_NONBLOCK == 0)
	}
	if err == nil {
		err = c.outside(func() error {
			return platform.GiveDescriptor(c.listener, c.ID, ends[1], c.int(1)&unix.SOCK_CLOEXEC != 0)
		})
	}
	unix.Close(ends[1])
	c.proof.make(x.inode, c.Thread)
	if err != nil {
		c.proof.fail(err)
		c.end(x)
		c.refuse(errnoOf(err))
	}
}

// keep notes a socket by the server's end, before the server has it.
func (s *Sockets) keep(x *socket, theirs int, blocks bool) error {
	var stat unix.Stat_t
	err := unix.Fstat(theirs, &stat)
	if err == nil && blocks {
		err = unix.SetNonblock(theirs, false)
	}
	if err != nil {
		return err
	}
	x.inode, x.local = stat.Ino, netip.AddrPortFrom(unspecified(x.family), 0)
	s.known[x.inode] = x // perhaps in place of one that has ended: the kernel gives a number again
	s.count[x.kind]++
	return s.watch(x)
}

// watch has the set wait for the server to close its end, and for datagrams.
func (s *Sockets) watch(x *socket) (err error) {
	events := uint32(unix.EPOLLRDHUP | unix.EPOLLET&0xffffffff)
	if x.kind == unix.SOCK_DGRAM {
		events = unix.EPOLLRDHUP | unix.EPOLLIN
	}
	x.member, err = s.set.Add(x.end, events, func(events uint32) {
		if events&unix.EPOLLIN != 0 {
			s.take(x)
		}
		if events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			s.end(x)
		}
	})
	return err
}

// leave takes a socket's end from the set: it is connected, or closed.
func (s *Sockets) leave(x *socket) (end int) {
	x.member.Remove()
	end, x.end = x.end, -1
	if x.inode != 0 {
		s.count[x.kind]--
	}
	return end
}

// end closes the end of a socket that is not connected.
func (s *Sockets) end(x *socket) {
	if x.end >= 0 {
		unix.Close(s.leave(x))
		s.remember(x)
	}
}

// remember keeps a socket whose end is closed: the server may have its own still, and ask for its name and options.
func (s *Sockets) remember(x *socket) {
	if s.ended = append(s.ended, x); len(s.ended) <= mostEnded {
		return
	}
	oldest := s.ended[0]
	s.ended = s.ended[1:]
	if s.known[oldest.inode] == oldest {
		delete(s.known, oldest.inode)
	}
}

// Close closes the ends of sockets that are not connected. Calls are not answered any more.
func (s *Sockets) Close() {
	for _, x := range s.known {
		s.end(x)
	}
	s.spare.Close()
}
