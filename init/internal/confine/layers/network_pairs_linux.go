package layers

import (
	"net/netip"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// Served is the shim's account of the calls of sockets that it has answered.
type Served struct {
	Calls  string         // how many of each name, "2 connect, 3 socket"
	Made   map[uint64]int // by the inode number of each socket that it made: the thread that asked for it
	Failed error          // why the memory or the descriptors of a caller could not be read
}

// pairProof are the proofs that behind the filter no socket is the kernel's own, and that the shim answers for each:
// the server's process asks for sockets as a server does, and the shim reads its memory. No packet leaves the machine.
type pairProof struct {
	made      [2]program.Op // a stream and a datagram
	is        [2]stat
	refused   [2]refusedConnect
	raw       program.Op
	questions []question

	nameServer program.Op
}

// A refusedConnect is one that the policy does not open.
type refusedConnect struct {
	to netip.AddrPort
	op program.Op
}

func (p *pairProof) layout(b *build) {
	if !b.Pairs {
		return
	}
	rules := b.layout.rules
	// As the server's program will be for its own user, unless nobody may read that.
	b.Step(sys.Prctl(unix.PR_SET_DUMPABLE, program.Int(1)))
	for i, kind := range [...]int{unix.SOCK_STREAM, unix.SOCK_DGRAM} {
		p.made[i] = b.Observe(sys.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0))
		p.is[i] = statFD(b, p.made[i].Result())
	}
	p.raw = b.Observe(sys.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP))
	denied := deniedAddress(rules)
	p.refused = [2]refusedConnect{{to: netip.AddrPortFrom(denied, rules.Ports()[0])},
		{to: netip.AddrPortFrom(denied, otherPort(rules.Ports()))}}
	for i := range p.refused {
		r := &p.refused[i]
		r.op = b.Observe(sys.Connect(p.made[0].Result(), socketAddress(r.to.Addr(), r.to.Port())))
	}
	p.questions = questions(rules)
	fd := p.made[1].Result()
	p.nameServer = b.Observe(sys.Connect(fd, socketAddress(documentation4, PortDNS)))
	for i := range p.questions {
		q := &p.questions[i]
		b.Observe(sys.Send(fd, q.text, 0))
		at := b.Space(512)
		q.read = fileRead{b.Observe(sys.Recv(fd, at, 512, 0)), at}
	}
	for i := range p.made {
		b.Call(sys.Close(p.made[i].Result()))
	}
}

func (p *pairProof) prove(c *check) {
	if c.Served.Failed != nil {
		c.refuse("sockets", "", c.Served.Failed)
	}
	c.fact("socket inet raw", "EAFNOSUPPORT", c.result(p.raw))
	for i, name := range [...]string{"TCP socket", "UDP socket"} {
		const ours = "made by the launcher"
		thread, made := c.Served.Made[c.stat(p.is[i]).Ino]
		c.fact(name, ours, choose(made && thread == c.Server, ours, "another"))
	}
	for i := range p.refused {
		r := &p.refused[i]
		c.fact("connect TCP "+r.to.String(), "ECONNREFUSED", c.result(r.op))
	}
	c.fact("connect UDP "+netip.AddrPortFrom(documentation4, PortDNS).String(), "0", c.result(p.nameServer))
	for i := range p.questions {
		q := &p.questions[i]
		c.fact(q.name, answerOf(q.rcode), q.says(c.bytesOf(q.read)))
	}
	// Those of row socketFamilies among them, and none that the filter answers.
	c.fact("calls that the launcher answered", "3 connect, 5 socket", c.Served.Calls)
}

// netABI is the version of Landlock that knows rights to ports.
const netABI = 4

// rightsNet are LANDLOCK_ACCESS_NET_BIND_TCP and _CONNECT_TCP: without a rule no socket of TCP can be bound or
// connected, should the server get one from elsewhere.
const rightsNet = 3

// netRights are those that the ruleset takes away.
func netRights(b *build) uint64 {
	if b.Pairs && b.Machine.LandlockABI >= netABI {
		return rightsNet
	}
	return 0
}

// tryBind binds a socket of TCP to a port of the kernel's choice, and closes it. Nothing listens there.
func tryBind(b *build) program.Op {
	fd := b.Observe(sys.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0))
	bound := b.Observe(sys.Bind(fd.Result(), socketAddress(netip.AddrFrom4([4]byte{127, 0, 0, 1}), 0)))
	b.Call(sys.Close(fd.Result()))
	return bound
}

// EffectOfPairs is how a server lives without a network namespace.
const EffectOfPairs = "the launcher makes the server's connections; the server cannot listen, and of UDP reaches " +
	"names alone"

// proveBind compares the binds without Landlock and with it.
func proveBind(c *check, tried [2]program.Op) {
	c.fact("bind of TCP before", "0", c.result(tried[0]))
	c.fact("bind of TCP", "EACCES", c.result(tried[1]))
}
