package main

import (
	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/net/bpf"
)

// The rules of Options.Egress: a server without a network of its own, whose sockets are the launcher's pairs.

const (
	serve = seccomp.ActionUserNotify | 1 // the kernel ignores the low bits: they tell these calls from the refused ones

	solSocket = 1 // SOL_SOCKET
	// Options of that level whose value tells a pair from a socket of the Internet, or its other end: SO_TYPE,
	// SO_ERROR, SO_PEERCRED, SO_PEERSEC, SO_PROTOCOL, SO_DOMAIN, SO_PEERGROUPS, SO_PEERPIDFD.
	soType, soError, soPeerCred, soPeerSec          = 3, 4, 17, 31
	soProtocol, soDomain, soPeerGroups, soPeerPIDFD = 38, 39, 59, 77
	// Those that make a pair's end writable before there is a connection, or have messages say who the launcher is:
	// SO_SNDBUF, SO_PASSCRED, SO_SNDBUFFORCE, SO_PASSPIDFD.
	soSndBuf, soPassCred, soSndBufForce, soPassPIDFD = 7, 16, 32, 76
)

var served = []rule{
	{"ServedGet", func(p *seccomp.Program) {
		servedOption(p, soType, soError, soPeerCred, soPeerSec, soProtocol, soDomain, soPeerGroups, soPeerPIDFD)
	}},
	{"ServedSet", func(p *seccomp.Program) { servedOption(p, soSndBuf, soPassCred, soSndBufForce, soPassPIDFD) }},
	{"ServedAddress", func(p *seccomp.Program) { servedPointer(p, 4) }},
}

// servedOption has the listener answer for all levels but SOL_SOCKET, and there for these options.
func servedOption(p *seccomp.Program, options ...uint32) {
	yes := p.NewLabel()
	p.LdLo(1)
	p.JmpIfTrue(bpf.JumpNotEqual, solSocket, yes)
	p.LdLo(2)
	for _, option := range options {
		p.JmpIfTrue(bpf.JumpEqual, option, yes)
	}
	serveElse(p, yes)
}

// servedPointer has the listener answer where an address is given, or asked for: a pointer counts whole.
func servedPointer(p *seccomp.Program, arg uint32) {
	yes := p.NewLabel()
	p.LdLo(arg)
	p.JmpIfTrue(bpf.JumpNotEqual, 0, yes)
	p.LdHi(arg)
	p.JmpIfTrue(bpf.JumpNotEqual, 0, yes)
	serveElse(p, yes)
}

// serveElse ends a block: calls that reach this point are allowed, and those that branch to yes are served.
func serveElse(p *seccomp.Program, yes seccomp.Label) {
	p.Ret(seccomp.ActionAllow)
	p.SetLabel(yes)
	p.Ret(serve)
}
