package main

import (
	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/net/bpf"
)

// The limit of core dumps is set once, by the launcher, to 1: for a core_pattern that is a program the kernel regards
// no other value (core(5)), and a server with the limit 0 could have that program of the host run on a crash of its
// choice. A call to set the limit returns 0 without effect: programs like gpg and ssh-agent ask for no core dumps,
// and exit on a refusal.
const done = 0xfff // no errno is so high; writeBlock makes 0 of it, for which the assembler would write EPERM

func setrlimit(p *seccomp.Program) {
	core := p.NewLabel()
	p.LdLo(0)
	p.JmpIfTrue(bpf.JumpEqual, limitCore, core)
	p.Ret(seccomp.ActionAllow)
	p.SetLabel(core)
	p.Ret(errno(done))
}

// prlimit allows to read the limit: the pointer to the new one is nil. The kernel takes all 64 bits of a pointer. A
// caller that wants the old limit as well is refused: the filter cannot write it.
func prlimit(p *seccomp.Program) {
	allow, core, refuse := p.NewLabel(), p.NewLabel(), p.NewLabel()
	p.LdLo(1)
	p.JmpIfTrue(bpf.JumpNotEqual, limitCore, allow)
	p.LdLo(2)
	p.JmpIfTrue(bpf.JumpNotEqual, 0, core)
	p.LdHi(2)
	p.JmpIfTrue(bpf.JumpEqual, 0, allow)
	p.SetLabel(core)
	p.LdLo(3)
	p.JmpIfTrue(bpf.JumpNotEqual, 0, refuse)
	p.Ret(errno(done))
	p.SetLabel(refuse)
	p.Ret(errno(eperm))
	p.SetLabel(allow)
	p.Ret(seccomp.ActionAllow)
}

// prlimitOwn allows only the caller's own process.
func prlimitOwn(p *seccomp.Program) {
	own := p.NewLabel()
	p.LdLo(0)
	p.JmpIfTrue(bpf.JumpEqual, 0, own)
	p.Ret(errno(eperm))
	p.SetLabel(own)
	prlimit(p)
}
