package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// Exit codes of the processes of a launch that failed. They are told apart from the server's by what init stored.
const (
	exitFailed   = 96 // a call of the frame failed
	exitOrphaned = 97 // the shim is gone
	exitExec     = 98 // execve came back
)

// cloneInit writes what a runner does before the launch is planned: it clones init and ends, and init waits. So the kernel
// makes the namespaces while the shim plans.
func (l *Launch) cloneInit(hostNet bool) {
	b := &build{Program: l.Program, launch: l}
	outer := new(program.Label)
	l.Layer("namespaces")
	// First of all: were the shim killed now, the host would know its runner by this.
	b.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.RunnerName)))
	flags := unix.CLONE_PARENT | int(unix.SIGCHLD)
	if l.is(full) {
		flags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	}
	if l.is(full) && !hostNet {
		flags |= unix.CLONE_NEWNET
	}
	zero := program.Int(0)
	l.clone = b.StepExactly(zero, sys.Clone(flags)).Fork().Else(outer)
	b.awaitRelease()
	b.Jump(&l.completed)
	b.Bind(outer)
	b.BranchUnlessOK(&l.fail)
	exit(b, 0)
	b.Bind(&l.fail)
	exit(b, exitFailed)
}

// writeFrame writes the rest of the frame, with the rows of the table in it: init lays the confinement, clones the server's
// process and reaps; the server's process confines itself, reports, waits, executes.
func (l *Launch) writeFrame(b *build) {
	reap := new(program.Label)
	b.Bind(&l.completed)
	l.writeRows(b, inInit)

	l.Layer("exec")
	l.server = l.cloneServer(b).Else(reap)
	l.writeRows(b, inServer)
	l.execServer(b)

	b.Bind(reap)
	b.BranchUnlessOK(&l.fail)
	b.traceServer()
	b.Layer("privileges")
	l.initCaps = b.dropCapabilities(l.is(full))
	b.Layer("exec")
	l.initReady = b.Len()
	b.signalReady()
	b.detachAtExec()
	if l.is(full) {
		l.reapLoop(b)
	} else {
		l.reapLoopShared(b)
	}
}

func (l *Launch) writeRows(b *build, s side) {
	for _, e := range l.rows {
		if e.side == s {
			b.Layer(string(e.layer))
			from := b.Len()
			e.row.ops(b)
			l.Spans = append(l.Spans, [2]int{from, b.Len()})
		}
	}
}

// execServer is the server's way out: tell, wait, unblock the signals, execve.
func (l *Launch) execServer(b *build) {
	b.Layer("exec")
	l.serverReady = b.Len() // the next result may not be stored yet when the shim looks
	b.signalReady()
	b.awaitRelease()
	// The last call before execve, or a signal in between would be lost.
	b.Step(sys.Sigsetmask(0))
	l.exec = b.Call(sys.Execve(b.View.Command, b.Strings(b.View.Argv), b.Strings(b.Env)))
	exit(b, exitExec)
}

// signalReady tells the shim that this process has come to its end of the evidence.
func (b *build) signalReady() {
	b.StepExactly(program.Int(1), sys.Write(sys.FD(fdReady), "."))
}

// awaitRelease waits until the shim lets the program go on. A dead shim ends it: only the shim holds the other end.
func (b *build) awaitRelease() {
	b.StepExactly(program.Int(1), sys.Read(sys.FD(fdRelease), b.Space(8), 1))
}

// checkParentAlive ends the process if the shim is gone already: PR_SET_PDEATHSIG speaks only of what happens after it.
func (b *build) checkParentAlive() {
	poll := program.Words(fdLifeline) // events 0: only a hang-up counts
	b.StepExactly(program.Int(0), sys.Ppoll(poll, 1, program.Words(0, 0)))
}

func exit(b *build, code int) { b.Call(sys.ExitGroup(code)) }

// MsgFreeze is the letter to init that stops every process of the sandbox at once: no other way could be sure of a process
// that forks. Any other letter is a signal for the server.
const MsgFreeze = 0

// reapLoop is what init does for the rest of its life: reap, pass signals on, and end with the shim or the server.
// With its end the kernel ends every process of the namespace; pid_namespaces(7).
func (l *Launch) reapLoop(b *build) {
	l.placeHost(b)
	b.Call(sys.CloseRange(fdRelease, everything, 0))
	p := l.newInitLoop(b)
	orphaned := new(program.Label)
	loop, signal, one, reap, wait, another := new(program.Label), new(program.Label), new(program.Label), new(program.Label), new(program.Label), new(program.Label)

	b.Bind(loop)
	p.awaitSignal(b, orphaned).Else(signal)
	b.Bind(orphaned)
	exit(b, exitOrphaned)
	b.Bind(signal)
	b.BranchUnless(program.Int(1), reap)
	b.Load(program.Word(p.signal))
	b.BranchUnless(program.Int(MsgFreeze), one)
	b.Call(sys.Kill(program.Int(-1), program.Int(int(unix.SIGSTOP))))
	b.Jump(reap)
	b.Bind(one)
	b.Call(sys.Kill(l.server.Result(), program.Word(p.signal)))
	p.jobs.continueGroup()
	b.Bind(reap)
	p.drainSignalfd(b)
	p.jobs.reportStop()
	b.Bind(wait)
	// That this call returned the server's id says that its status is the server's: init makes no other call after it.
	l.reaped = b.StepExactly(l.server.Result(), sys.Wait4(-1, l.status, unix.WNOHANG)).Else(another)
	// If that was the last process, init ends. Else the shim counts what is left and lets go of the lifeline; what init
	// then kills it also reaps, so that its usage is known.
	gone, rest := new(program.Label), new(program.Label)
	b.Call(sys.Wait4(-1, 0, unix.WNOHANG))
	b.BranchUnlessOK(gone)
	b.signalReady()
	b.Call(sys.Ppoll(program.Words(fdLifeline, fdHost|pollin<<32), p.descriptors(), program.Int(0)))
	b.Call(sys.Kill(program.Int(-1), program.Int(int(unix.SIGKILL))))
	b.Bind(rest)
	b.Call(sys.Wait4(-1, 0, 0))
	b.BranchUnlessOK(gone)
	b.Jump(rest)
	b.Bind(gone)
	exit(b, 0)
	b.Bind(another)
	b.BranchUnlessOK(loop)
	b.BranchUnless(program.Int(0), wait)
	b.Jump(loop)
}
