package main

import (
	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/net/bpf"
)

// The blocks of the socket families. Each answers for its own family and falls out at its end for another one, so that
// a program holds only those it allows, and EAFNOSUPPORT behind them. Every refusal is this errno: libaudit, Go (MPTCP)
// and glibc then assume a kernel without the family.

// unix allows stream, datagram and seqpacket. SOCK_RAW, which the kernel takes for a datagram, is not among them.
func unix(p *seccomp.Program) {
	other, refuse, allow, packet := p.NewLabel(), p.NewLabel(), p.NewLabel(), p.NewLabel()
	p.LdLo(0)
	p.JmpIfTrue(bpf.JumpNotEqual, afUnix, other)
	p.LdLo(1)
	p.JmpIfTrue(bpf.JumpBitsSet, ^uint32(sockFlags|7), refuse)
	p.JmpIfTrue(bpf.JumpBitsSet, sockSeqpacket&^sockStream, packet)
	oneOf(p, allow, refuse)
	p.SetLabel(packet)
	p.JmpIfTrue(bpf.JumpBitsSet, sockDgram, refuse)
	p.JmpIfTrue(bpf.JumpBitsSet, sockStream, allow)
	p.SetLabel(refuse)
	p.Ret(errno(eafnosupport))
	p.SetLabel(allow)
	p.Ret(seccomp.ActionAllow)
	p.SetLabel(other)
}

// inet allows stream and datagram with protocol 0, TCP or UDP, on both families: no ICMP, SCTP, MPTCP, raw.
func inet(p *seccomp.Program) {
	mine, other, refuse, allow, proto := p.NewLabel(), p.NewLabel(), p.NewLabel(), p.NewLabel(), p.NewLabel()
	p.LdLo(0)
	p.JmpIfTrue(bpf.JumpEqual, afInet, mine)
	p.JmpIfTrue(bpf.JumpNotEqual, afInet6, other)
	p.SetLabel(mine)
	p.LdLo(1)
	p.JmpIfTrue(bpf.JumpBitsSet, ^uint32(sockFlags|3), refuse)
	oneOf(p, proto, refuse)
	p.SetLabel(proto)
	p.LdLo(2)
	p.JmpIfTrue(bpf.JumpEqual, 0, allow)
	p.JmpIfTrue(bpf.JumpEqual, protoTCP, allow)
	p.JmpIfTrue(bpf.JumpEqual, protoUDP, allow)
	p.SetLabel(refuse)
	p.Ret(errno(eafnosupport))
	p.SetLabel(allow)
	p.Ret(seccomp.ActionAllow)
	p.SetLabel(other)
}

// netlink allows raw (3) and datagram (2) with protocol 0, NETLINK_ROUTE.
func netlink(p *seccomp.Program) {
	other, refuse := p.NewLabel(), p.NewLabel()
	p.LdLo(0)
	p.JmpIfTrue(bpf.JumpNotEqual, afNetlink, other)
	p.LdLo(1)
	p.JmpIfTrue(bpf.JumpBitsSet, ^uint32(sockFlags|3), refuse)
	p.JmpIfTrue(bpf.JumpBitsNotSet, sockDgram, refuse)
	p.LdLo(2)
	p.JmpIfTrue(bpf.JumpNotEqual, 0, refuse)
	allowElse(p, refuse, eafnosupport)
	p.SetLabel(other)
}

// pairConnected allows only pairs that stay with each other. A datagram end can be connected anew, or send to any
// address: with it a socketpair is a way to the host's sockets that socket(2) refuses (unix(7)).
func pairConnected(p *seccomp.Program) {
	refuse := p.NewLabel()
	p.LdLo(0)
	p.JmpIfTrue(bpf.JumpNotEqual, afUnix, refuse)
	p.LdLo(1)
	p.JmpIfTrue(bpf.JumpBitsSet, ^uint32(sockFlags|sockSeqpacket), refuse)
	p.JmpIfTrue(bpf.JumpBitsNotSet, sockStream, refuse)
	allowElse(p, refuse, eafnosupport)
}

// oneOf goes to yes where exactly one of the two low bits is set: stream (1) or datagram (2), not raw (3) or none.
func oneOf(p *seccomp.Program, yes, no seccomp.Label) {
	even := p.NewLabel()
	p.JmpIfTrue(bpf.JumpBitsNotSet, sockStream, even)
	p.JmpIf(bpf.JumpBitsSet, sockDgram, no, yes)
	p.SetLabel(even)
	p.JmpIf(bpf.JumpBitsSet, sockDgram, yes, no)
}
