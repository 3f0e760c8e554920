package confine

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// Messages. From the shim to init: a byte, which is a signal for the server, or MsgFreeze. The others are to the shim.
const (
	MsgFreeze = 0 // stops every process of the sandbox at once: signals one by one would miss a process that forks

	MsgReady    = "." // a process has come to the end of its evidence; later from init: the server was reaped
	MsgStopped  = "s" // a server with a terminal was stopped
	MsgListener = "l" // carries the seccomp listener
)

// initLoop polls the lifeline (messages of the shim), a signalfd (SIGCHLD) and the host.
type initLoop struct {
	fds      program.Addr // three struct pollfd
	grace    time.Duration
	signalfd program.Op
	signal   program.Addr // the message from the lifeline
	info     program.Addr // what is read from the other two
	jobs     jobControl
}

const (
	pollin     = 1 // POLLIN
	pollfdSize = 8 // struct pollfd; poll(2)
)

// newInitLoop opens the signalfd, and closes the server's standard descriptors: a reader of the server's output sees
// the end of file when no other process can write.
func (l *Launch) newInitLoop(b *build) *initLoop {
	p := &initLoop{fds: b.Data(pollfds(fdLifeline, b.HostGrace > 0)), grace: b.HostGrace}
	last := fdProgram
	if p.grace > 0 { // fdHost has the number of the program, which stays mapped
		last = fdProgram - 1
	}
	b.Step(sys.CloseRange(0, last, 0))
	open := sys.Signalfd(1<<(uint(unix.SIGCHLD)-1), unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)
	p.signalfd = b.Step(open).StoreAt(p.fds.Plus(pollfdSize))
	l.status = b.Space(8)
	p.signal, p.info = b.Space(8), b.Space(siginfoSize)
	p.jobs = b.jobControl()
	return p
}

// awaitSignal polls and reads the lifeline, which does not block: 0 is the end of file, EAGAIN no message. Where the
// host has ended and the shim has not ended the server for longer than it ever takes, it goes on at orphaned.
func (p *initLoop) awaitSignal(b *build, orphaned *program.Label) program.Op {
	b.Call(sys.Ppoll(program.Ref(p.fds), 3, program.Int(0)))
	if p.grace > 0 {
		p.checkHost(b, orphaned)
	}
	return b.Step(sys.Read(sys.FD(fdLifeline), p.signal, 1)).Returns(program.Int(0))
}

// checkHost polls the host's pidfd. When the host has ended, a timerfd takes its place: a read of it succeeds once
// the time is over, and a read of a pidfd fails.
func (p *initLoop) checkHost(b *build, orphaned *program.Label) {
	alive, ended, start := new(program.Label), new(program.Label), new(program.Label)
	b.Step(sys.Ppoll(program.Ref(p.fds.Plus(2*pollfdSize)), 1, program.Words(0, 0))).Returns(program.Int(0)).Else(ended)
	b.Jump(alive)
	b.Bind(ended)
	b.Call(sys.Read(sys.FD(fdHost), p.info, 8))
	b.BranchUnlessOK(start)
	b.Jump(orphaned)
	b.Bind(start)
	timer := b.Step(sys.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)).Else(orphaned)
	b.Step(sys.Dup3(timer.Result(), fdHost, unix.O_CLOEXEC)).Else(orphaned)
	value := program.Words(0, 0, uint64(p.grace/time.Second), uint64(p.grace%time.Second)) // struct itimerspec
	b.Step(sys.TimerfdSettime(sys.FD(fdHost), 0, value)).Else(orphaned)
	b.Bind(alive)
}

// ends are the descriptors whose end init waits for: the lifeline, and the host if there is one.
func (p *initLoop) ends() int {
	if p.grace > 0 {
		return 2
	}
	return 1
}

// placeHost moves the host's pidfd to its number.
func (l *Launch) placeHost(b *build) {
	if b.HostGrace > 0 {
		b.Step(sys.Dup3(sys.FD(fdTrees+l.extraFDs-1), fdHost, unix.O_CLOEXEC))
	}
}

// drainSignalfd reads a signal, or ppoll would report it again.
func (p *initLoop) drainSignalfd(b *build) {
	b.Call(sys.Read(p.signalfd.Result(), p.info, siginfoSize))
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

// reapServer waits for any process, without blocking. It goes on behind itself once the server was reaped, else at
// others. A result that is the server's id means that the status is the server's: init makes this call nowhere else.
func (l *Launch) reapServer(b *build, others *program.Label) {
	l.reaped = b.Step(sys.Wait4(-1, l.status, unix.WNOHANG)).Returns(l.server.Result()).Else(others)
}

// reapLoop is init's loop in a pid namespace: init passes signals on, reaps, and ends with the shim or the server.
// When init ends the kernel kills every process of the namespace; pid_namespaces(7).
func (l *Launch) reapLoop(b *build) {
	l.placeHost(b)
	b.Call(sys.CloseRange(fdRelease, everything, 0))
	p := l.newInitLoop(b)
	loop, message, signal, orphaned := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	read, reap, others := new(program.Label), new(program.Label), new(program.Label)
	rest, done := new(program.Label), new(program.Label)

	b.Bind(loop)
	p.awaitSignal(b, orphaned).Else(message)
	b.Bind(orphaned)
	exit(b, exitOrphaned)
	b.Bind(message)
	b.BranchUnless(program.Int(1), read)
	b.Load(program.Word(p.signal))
	b.BranchUnless(program.Int(MsgFreeze), signal)
	b.Call(sys.Kill(program.Int(-1), program.Int(int(unix.SIGSTOP))))
	b.Jump(read)
	b.Bind(signal)
	b.Call(sys.Kill(l.server.Result(), program.Word(p.signal)))
	p.jobs.continueGroup()
	b.Bind(read)
	p.drainSignalfd(b)
	p.jobs.reportStop()
	b.Bind(reap)
	l.reapServer(b, others)
	// Without another process init ends. Otherwise init tells the shim, which counts the rest, waits until the shim
	// closes the lifeline, kills the rest and reaps it for its rusage.
	b.Call(sys.Wait4(-1, 0, unix.WNOHANG))
	b.BranchUnlessOK(done)
	b.signalReady()
	b.Call(sys.Ppoll(program.Words(fdLifeline, fdHost|pollin<<32), p.ends(), program.Int(0)))
	b.Call(sys.Kill(program.Int(-1), program.Int(int(unix.SIGKILL))))
	b.Bind(rest)
	b.Call(sys.Wait4(-1, 0, 0))
	b.BranchUnlessOK(done)
	b.Jump(rest)
	b.Bind(done)
	exit(b, 0)
	b.Bind(others)
	b.BranchUnlessOK(loop)
	b.BranchUnless(program.Int(0), reap)
	b.Jump(loop)
}

// reapLoopShared is init's loop without a pid namespace: init passes signals on and reaps, and no process may outlive
// the server or the shim. A program cannot read /proc: the shim kills what the server leaves behind. When the shim is
// gone, init executes the shim's image, which kills and ends.
func (l *Launch) reapLoopShared(b *build) {
	l.placeHost(b)
	b.Call(sys.CloseRange(fdRelease, fdRelease, 0))
	p := l.newInitLoop(b)
	loop, message, read, orphaned := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	reap, others, rest := new(program.Label), new(program.Label), new(program.Label)
	wait, awake, done := new(program.Label), new(program.Label), new(program.Label)

	b.Bind(loop)
	p.awaitSignal(b, orphaned).Else(message)
	b.Jump(orphaned)
	b.Bind(message)
	b.BranchUnless(program.Int(1), read)
	b.Call(sys.Kill(l.server.Result(), program.Word(p.signal)))
	p.jobs.continueGroup()
	b.Bind(read)
	p.drainSignalfd(b)
	p.jobs.reportStop()
	b.Bind(reap)
	l.reapServer(b, others)
	// Without another process init ends: orphans would be init's children. Otherwise the shim kills them, and init
	// reaps them for their rusage.
	b.Call(sys.Wait4(-1, 0, unix.WNOHANG))
	b.BranchUnlessOK(done)
	b.Call(sys.Write(sys.FD(fdReady), MsgReady)) // not signalReady: the shim may be gone by now
	b.Jump(rest)
	b.Bind(wait)
	p.awaitSignal(b, orphaned).Else(awake)
	b.Jump(orphaned)
	b.Bind(awake)
	p.drainSignalfd(b)
	b.Bind(rest)
	b.Call(sys.Wait4(-1, 0, unix.WNOHANG))
	b.BranchUnlessOK(done)
	b.BranchUnless(program.Int(0), rest)
	b.Jump(wait)
	b.Bind(done)
	exit(b, 0)
	b.Bind(others)
	b.BranchUnlessOK(loop)
	b.BranchUnless(program.Int(0), reap)
	b.Jump(loop)

	b.Bind(orphaned)
	argv, env := b.Strings(b.Reaper), b.Strings([]string{"GODEBUG=containermaxprocs=0"})
	b.Call(sys.Execveat(sys.FD(fdImage), "", argv, env, unix.AT_EMPTY_PATH))
	b.Call(sys.Kill(l.server.Result(), program.Int(int(unix.SIGKILL))))
	exit(b, exitOrphaned)
}
