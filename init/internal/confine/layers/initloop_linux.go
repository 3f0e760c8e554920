package layers

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"golang.org/x/sys/unix"
)

// initLoop polls the lifeline (messages of the shim), a signalfd (SIGCHLD) and the host.
type initLoop struct {
	*build
	fds      program.Addr // three struct pollfd
	signalfd program.Op
	message  program.Addr // bytes read from the lifeline
	info     program.Addr // bytes read from the other two
	stopped  program.Addr // struct siginfo of a server with a terminal
	asked    program.Addr // not 0: the server was asked to end

	loop, reap, others, done program.Label
}

const (
	pollin     = 1 // POLLIN
	pollfdSize = 8 // struct pollfd; poll(2)
)

// newInitLoop closes init's descriptors from fdRelease to lastFD, opens the signalfd, and closes the server's standard
// descriptors: a reader of the server's output sees the end of file when no other process can write.
func newInitLoop(b *build, lastFD int) *initLoop {
	last := fdProgram
	if b.HostGrace > 0 { // fdHost has the number of the program, which stays mapped
		last = fdProgram - 1
		b.Step(sys.Dup3(sys.FD(fdTrees+b.extraFDs-1), fdHost, unix.O_CLOEXEC))
	}
	b.Call(sys.CloseRange(fdRelease, lastFD, 0))
	p := &initLoop{build: b, fds: b.Data(pollfds(fdLifeline, b.HostGrace > 0))}
	b.Step(sys.CloseRange(0, last, 0))
	open := sys.Signalfd(1<<(uint(unix.SIGCHLD)-1), unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)
	p.signalfd = b.Step(open).StoreAt(p.fds.Plus(pollfdSize))
	b.layout.status = b.Space(8)
	p.message, p.info, p.asked = b.Space(8), b.Space(siginfoSize), b.Space(8)
	if b.TTY {
		p.stopped = b.Space(siginfoSize)
	}
	return p
}

// pollfds are three struct pollfd with POLLIN. The second one's descriptor is stored later; the third is -1 without a
// host.
func pollfds(first byte, host bool) []byte {
	b := make([]byte, 3*pollfdSize)
	b[0], b[4], b[12], b[16], b[20] = first, pollin, pollin, fdHost, pollin
	if !host {
		copy(b[16:], "\xff\xff\xff\xff")
	}
	return b
}

// await polls and reads the lifeline, which does not block: 0 is the end of file, EAGAIN no message. Where the
// host has ended, and the shim has not ended the server within HostGrace, init continues at orphaned.
func (p *initLoop) await(orphaned *program.Label) program.Op {
	p.Call(sys.Ppoll(program.Ref(p.fds), 3, program.Int(0)))
	if p.HostGrace > 0 {
		p.checkHost(orphaned)
	}
	return p.Step(sys.Read(sys.FD(fdLifeline), p.message, 1)).Returns(program.Int(0))
}

// checkHost polls the host's pidfd. When the host has ended, a timerfd takes its place: a read of it succeeds once
// the time is over, and a read of a pidfd fails.
func (p *initLoop) checkHost(orphaned *program.Label) {
	var alive, ended, start program.Label
	poll := sys.Ppoll(program.Ref(p.fds.Plus(2*pollfdSize)), 1, program.Words(0, 0))
	if p.layout.parent != nil {
		p.Step(poll).Returns(program.Int(0)).Else(orphaned)
		return
	}
	p.Step(poll).Returns(program.Int(0)).Else(&ended)
	p.Jump(&alive)
	p.Bind(&ended)
	p.Call(sys.Read(sys.FD(fdHost), p.info, 8))
	p.BranchUnlessOK(&start)
	p.Jump(orphaned)
	p.Bind(&start)
	timer := p.Step(sys.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)).Else(orphaned)
	p.Step(sys.Dup3(timer.Result(), fdHost, unix.O_CLOEXEC)).Else(orphaned)
	p.Step(sys.TimerfdSettime(sys.FD(fdHost), 0, timerIn(p.HostGrace))).Else(orphaned)
	p.Bind(&alive)
}

// handleMessage passes a message of the shim on to the server, and a stop of the server to the shim.
func (p *initLoop) handleMessage() {
	var signal, read program.Label
	p.BranchUnless(program.Int(1), &read)
	if p.layout.is(full) { // else the shim stops the processes: init cannot tell them from the host's
		p.Load(program.Word(p.message))
		p.BranchUnless(program.Int(MsgFreeze), &signal)
		p.Call(sys.Kill(program.Int(-1), program.Int(int(unix.SIGSTOP))))
		p.Jump(&read)
		p.Bind(&signal)
		p.hear(&read)
	}
	p.moreSockets(&read)
	p.Call(sys.Kill(p.layout.server.Result(), program.Word(p.message)))
	p.continueGroup()
	p.Bind(&read)
	p.drainSignalfd()
	p.reportStop()
}

// drainSignalfd reads a signal, or ppoll would report it again.
func (p *initLoop) drainSignalfd() { p.Call(sys.Read(p.signalfd.Result(), p.info, siginfoSize)) }

// continueGroup continues the process group of a server with a terminal after a signal: Ctrl-Z stops the whole group.
func (p *initLoop) continueGroup() {
	if p.TTY {
		group := p.Negate(p.layout.server.Result()) // the server leads its group: kill(2)
		p.Call(sys.Kill(group.Result(), program.Int(int(unix.SIGCONT))))
	}
}

// reportStop tells the shim that a server with a terminal was stopped. waitid(2) returns 0 in both cases; si_signo is 0
// if no child has changed state.
func (p *initLoop) reportStop() {
	if !p.TTY {
		return
	}
	var on, report program.Label
	wait := sys.WaitPID(p.layout.server.Result(), p.stopped, unix.WSTOPPED|unix.WNOHANG)
	p.Step(wait).Else(&on)          // ECHILD: the server has ended
	p.Load(program.Word(p.stopped)) // si_signo and si_errno
	p.BranchUnless(program.Int(0), &report)
	p.Jump(&on)
	p.Bind(&report)
	p.Call(sys.Write(sys.FD(fdReady), MsgStopped))
	p.Bind(&on)
}

// awaitServer handles messages and reaps until the server was reaped, and then goes on at done if no other process is
// left, else behind itself. gone is written for an init without its shim or host. The result of the first wait4 is the
// server's id only if the status is the server's: init makes this call nowhere else.
func (p *initLoop) awaitServer(orphaned *program.Label, gone func()) {
	var message program.Label
	p.Bind(&p.loop)
	p.await(orphaned).Else(&message)
	gone()
	p.Bind(&message)
	p.handleMessage()
	p.Bind(&p.reap)
	wait := sys.Wait4(-1, p.layout.status, unix.WNOHANG)
	p.layout.reaped = p.Step(wait).Returns(p.layout.server.Result()).Else(&p.others)
	p.Call(sys.Wait4(-1, 0, unix.WNOHANG))
	p.BranchUnlessOK(&p.done)
}

// end is the end of both loops: init's exit, and the turn in which another process than the server was reaped, or none.
func (p *initLoop) end() {
	p.Bind(&p.done)
	exit(p.build, 0)
	p.Bind(&p.others)
	p.BranchUnlessOK(&p.loop)
	p.BranchUnless(program.Int(0), &p.reap)
	p.Jump(&p.loop)
}

// reapLoop is init's loop in a pid namespace: init passes signals on, reaps, and ends with the shim or the server.
// When init ends the kernel kills every process of the namespace; pid_namespaces(7).
func reapLoop(b *build) {
	p := newInitLoop(b, everything)
	var orphaned, rest program.Label
	p.awaitServer(&orphaned, func() {
		b.Bind(&orphaned)
		if b.layout.parent != nil {
			p.outlive()
		}
		exit(b, exitOrphaned)
	})
	// Init tells the shim, which counts the rest, waits until the shim closes the lifeline, kills the rest and reaps it
	// for its rusage.
	signalReady(b)
	ends := 1 // the descriptors whose end init waits for: the lifeline, and the host if there is one
	if b.HostGrace > 0 {
		ends = 2
	}
	b.Call(sys.Ppoll(program.Words(fdLifeline, fdHost|pollin<<32), ends, program.Int(0)))
	b.Call(sys.Kill(program.Int(-1), program.Int(int(unix.SIGKILL))))
	b.Bind(&rest)
	b.Call(sys.Wait4(-1, 0, 0))
	b.BranchUnlessOK(&p.done)
	b.Jump(&rest)
	p.end()
}

// reapLoopShared is init's loop without a pid namespace: init passes signals on and reaps, and no process may outlive
// the server or the shim. A program cannot read /proc: the shim kills the processes that the server leaves. Their
// orphans are init's children, which init reaps for their rusage. When the shim is gone, init executes the shim's
// image, which kills and ends.
func reapLoopShared(b *build) {
	p := newInitLoop(b, fdRelease)
	var orphaned, rest, wait, awake program.Label
	p.awaitServer(&orphaned, func() { b.Jump(&orphaned) })
	b.Call(sys.Write(sys.FD(fdReady), MsgReady)) // not signalReady: the shim may be gone by now
	b.Jump(&rest)
	b.Bind(&wait)
	p.await(&orphaned).Else(&awake)
	b.Jump(&orphaned)
	b.Bind(&awake)
	p.drainSignalfd()
	b.Bind(&rest)
	b.Call(sys.Wait4(-1, 0, unix.WNOHANG))
	b.BranchUnlessOK(&p.done)
	b.BranchUnless(program.Int(0), &rest)
	b.Jump(&wait)
	p.end()

	b.Bind(&orphaned)
	argv, env := b.Strings(b.Reaper), b.Strings([]string{"GODEBUG=containermaxprocs=0"})
	b.Call(sys.Execveat(sys.FD(fdImage), "", argv, env, unix.AT_EMPTY_PATH))
	b.Call(sys.Kill(b.layout.server.Result(), program.Int(int(unix.SIGKILL))))
	exit(b, exitOrphaned)
}

// timerIn is a struct itimerspec.
func timerIn(d time.Duration) program.Arg {
	return program.Words(0, 0, uint64(d/time.Second), uint64(d%time.Second))
}
