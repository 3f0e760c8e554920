package main

import (
	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/net/bpf"
)

// Placeholders for Options.Guarded in the blocks, and the commands that have the kernel send a signal.
const (
	mark1, mark2 = 0x7ffffffe, 0x7ffffffd

	setOwn, setSig, setOwnEx = 8, 10, 15      // F_SETOWN, F_SETSIG, F_SETOWN_EX: a descriptor's signal and its receiver
	fiosetown, siocspgrp     = 0x8901, 0x8902 // the same by ioctl

	readWrite, truncates = 3, 0o1000 // O_ACCMODE, O_TRUNC
)

// refuseProcesses refuses the two guarded processes, and negative numbers: every group, and all processes (-1).
func refuseProcesses(p *seccomp.Program, arg uint32) {
	refuse := p.NewLabel()
	p.LdLo(arg)
	p.JmpIfTrue(bpf.JumpBitsSet, 1<<31, refuse)
	p.JmpIfTrue(bpf.JumpEqual, mark1, refuse)
	p.JmpIfTrue(bpf.JumpEqual, mark2, refuse)
	allowElse(p, refuse, eperm)
}

// uncut is open, and refuses to cut a file that is not opened for writing, reading or not: with both bits of the mode
// the kernel asks for both rights and gives none, and cuts.
func uncut(p *seccomp.Program, flags uint32) {
	whole, refuse := p.NewLabel(), p.NewLabel()
	p.LdLo(flags)
	p.JmpIfTrue(bpf.JumpBitsNotSet, truncates, whole)
	oneOf(p, whole, refuse)
	p.SetLabel(whole)
	openWhole(p, flags, refuse)
}
