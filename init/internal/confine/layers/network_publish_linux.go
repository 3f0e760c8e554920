package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// PublishReady is how many TCP sockets the shim has at hand for connections to published ports. For each that the shim
// uses it asks init for another, by [MsgSocket].
const PublishReady = 8

// HasPublish reports whether the host reaches ports of a server with a network namespace of its own.
func HasPublish(p *policy.Policy) bool {
	return len(p.Network.Publish) > 0 && p.Level != policy.LevelNetwork && p.Level != policy.Privileged
}

// EgressPort reports whether the launcher listens on a TCP port inside, for allowed domains or for names: there the
// server cannot.
func EgressPort(p *policy.Policy, port uint16) bool {
	for _, s := range EgressSockets(p, &Machine{}) {
		if (s.Kind == Listener || s.Kind == DNSTCP) && s.Port == port {
			return true
		}
	}
	return false
}

// publishSockets opens TCP sockets that are neither bound nor connected, hands them to the shim in one message and
// closes init's copies. A socket stays in the network namespace that it was made in, so the shim connects one of them
// to a port of the server without entering that.
func publishSockets(b *build) {
	if !HasPublish(&b.Policy) {
		return
	}
	message, fds := carrier(b, MsgPublish, PublishReady)
	var opened [PublishReady]openedSocket
	var spaces [PublishReady]program.Op
	var inside [PublishReady]stat
	for i := range opened {
		o := &opened[i]
		o.fd = b.Do(publishSocket(&b.Machine)).StoreAt(fds.Plus(4 * i)).For("published")
		o.reads(b, unix.SO_PROTOCOL, unix.IPPROTO_TCP)
		o.reads(b, unix.SO_ACCEPTCONN, 0)
		spaces[i] = b.Observe(sys.Ioctl(o.fd.Result(), unix.SIOCGSKNS, program.Int(0)))
		inside[i] = statFD(b, spaces[i].Result())
		b.Call(sys.Close(spaces[i].Result()))
	}
	b.Step(sys.Sendmsg(sys.FD(fdReady), message, 0)).Returns(program.Int(len(MsgPublish)))
	for i := range opened {
		b.Do(sys.Close(opened[i].fd.Result())).For("published")
		opened[i].kept = b.Observe(sys.Fcntl(opened[i].fd.Result(), unix.F_GETFD, 0))
	}
	b.prove(func(c *check) {
		good := 0
		for i := range opened {
			if opened[i].works(c) && c.Errno(spaces[i]) == 0 {
				good++
			}
		}
		c.fact("sockets for published ports", strconv.Itoa(PublishReady), strconv.Itoa(good))
		own := b.Machine.Namespaces[netNS]
		for i := range inside { // one fact, unless they differ
			if i == 0 || c.stat(inside[i]) != c.stat(inside[0]) {
				proveNamespace(c, "their network namespace", own, inside[i])
			}
		}
	})
}

// publishSocket is a socket that connects to 127.0.0.1 and, where the machine has IPv6, to ::1 as well.
func publishSocket(m *Machine) program.Syscall {
	family := unix.AF_INET
	if m.IPv6 {
		family = unix.AF_INET6
	}
	return sys.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
}

// moreSockets sends the shim another socket for a published port, if the message asks for one, and goes on at done. An
// answer that carries no socket says that none could be made.
func (p *initLoop) moreSockets(done *program.Label) {
	if !HasPublish(&p.Policy) || !p.layout.is(full) {
		return
	}
	var other, unsent, none program.Label
	message, fd := carrier(p.build, MsgPublish, 1)
	p.Load(program.Word(p.message))
	p.BranchUnless(program.Int(MsgSocket), &other)
	opened := p.Call(publishSocket(&p.Machine)).StoreAt(fd)
	p.BranchUnlessOK(&none)
	p.Call(sys.Sendmsg(sys.FD(fdReady), message, unix.MSG_NOSIGNAL))
	p.BranchUnlessOK(&unsent)
	p.Call(sys.Close(opened.Result()))
	p.Jump(done)
	p.Bind(&unsent)
	p.Call(sys.Close(opened.Result()))
	p.Bind(&none)
	p.Call(sys.Write(sys.FD(fdReady), MsgPublish))
	p.Jump(done)
	p.Bind(&other)
}
