package layers

// This file: the parent tells its host of the packets of sockets that the host need not keep open.

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// ParentSockets is how many sockets the parent takes.
const ParentSockets = 2

// PacketSize is the most of a packet that the parent tells: more than the kernel quotes of a datagram (RFC 1812, RFC
// 4443).
const PacketSize = 2048

// parentPolled is how many descriptors the parent polls besides.
const parentPolled = 4

type parentSockets struct {
	fds     [ParentSockets]program.Addr // -1: none
	polled  [ParentSockets]program.Addr // the same in struct pollfd; -1 until the host has read the last packet
	text    program.Addr                // MsgPacket or MsgRest, in a word
	packet  program.Addr
	size    program.Addr // of the packet, in its struct iovec
	message program.Arg
}

// layoutSockets makes room for none yet. Their struct pollfd are at polled.
func layoutSockets(b *build, polled program.Addr) (s parentSockets) {
	for i := range s.fds {
		s.polled[i] = polled.Plus(i * pollfdSize)
		s.fds[i] = b.Data(program.Raw(^uint64(0)))
	}
	s.packet = b.Space(PacketSize)
	s.text = b.Data(program.Raw(uint64(MsgPacket[0])))
	iov := b.Data(program.Raw(uint64(s.text), uint64(len(MsgPacket)), uint64(s.packet), 0))
	s.size = iov.Plus(24)
	s.message = program.Words(0, 0, uint64(iov), 2, 0, 0, 0)
	return s
}

// take takes over the sockets of the host's message.
func (s *parentSockets) take(b *build, carried program.Addr) {
	for i := range s.fds {
		b.Load(program.Word(carried.Plus(4 * i))).StoreAt(s.fds[i])
	}
	s.listen(b)
}

func (s *parentSockets) listen(b *build) {
	for i := range s.fds {
		b.Load(program.Word(s.fds[i])).StoreAt(s.polled[i])
	}
}

// tell tells of a packet, and then of none until the host has read that: signals need the room that a server could
// fill.
func (s *parentSockets) tell(b *build) {
	for i := range s.fds {
		var none program.Label
		s.receive(b, s.polled[i], &none)
		b.Step(s.send()).Else(&none)
		for _, polled := range s.polled {
			b.Load(program.Int(-1)).StoreAt(polled)
		}
		b.Bind(&none)
	}
}

// tellAll tells of all packets that there are. No process of the sandbox can make more. As many answers would leave the
// host no room to tell the exit status.
func (s *parentSockets) tellAll(b *build) {
	b.Load(program.Int(int(MsgRest[0]))).StoreAt(s.text)
	for i := range s.fds {
		var again, none program.Label
		b.Bind(&again)
		s.receive(b, s.fds[i], &none)
		b.Call(s.send())
		b.Jump(&again)
		b.Bind(&none)
	}
}

func (s *parentSockets) receive(b *build, fd program.Addr, none *program.Label) {
	b.Step(sys.Recv(program.Word(fd), s.packet, PacketSize, unix.MSG_DONTWAIT)).StoreAt(s.size).Else(none)
}

func (s *parentSockets) send() program.Syscall {
	return sys.Sendmsg(sys.FD(fdReady), s.message, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
}
