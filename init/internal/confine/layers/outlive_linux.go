package layers

// This file: init's loop where the host itself holds the lifeline.

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// hear takes what only an init that a host launched itself is sent, and goes on at done.
func (p *initLoop) hear(done *program.Label) {
	if p.layout.parent != nil {
		var asked, signal program.Label
		p.BranchUnless(program.Int(MsgEnd), &asked)
		exit(p.build, exitOrphaned)
		p.Bind(&asked)
		p.BranchUnless(program.Int(MsgAsked), &signal)
		p.Load(program.Int(1)).StoreAt(p.asked)
		p.Jump(done)
		p.Bind(&signal)
	}
}

// outlive gives the server its grace when the host has ended that holds the lifeline, as the shim does. It goes on
// behind itself when that is over.
func (p *initLoop) outlive() {
	var loop, reap, others, over program.Label
	p.Load(program.Word(p.asked)) // once asked, a server is not waited for
	p.BranchUnless(program.Int(0), &over)
	for _, sig := range [...]unix.Signal{unix.SIGTERM, unix.SIGCONT} {
		p.Call(sys.Kill(p.layout.server.Result(), program.Int(int(sig))))
	}
	p.Load(program.Int(-1)).StoreAt(p.fds)
	timer := p.Step(sys.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)).Else(&over)
	timer.StoreAt(p.fds.Plus(2 * pollfdSize))
	p.Step(sys.TimerfdSettime(timer.Result(), 0, timerIn(p.HostGrace))).Else(&over)
	p.Bind(&loop)
	p.Call(sys.Ppoll(program.Ref(p.fds), 3, program.Int(0)))
	p.drainSignalfd()
	p.Bind(&reap)
	p.Step(sys.Wait4(-1, 0, unix.WNOHANG)).Returns(p.layout.server.Result()).Else(&others)
	exit(p.build, 0)
	p.Bind(&others)
	p.BranchUnlessOK(&over)
	p.BranchUnless(program.Int(0), &reap)
	p.Call(sys.Read(timer.Result(), p.info, 8))
	p.BranchUnlessOK(&loop)
	p.Bind(&over)
}
