package confine

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// Exit codes of init and of the server's process. Init stored the server's wait status if it was the server that
// exited.
const (
	exitFailed   = 96 // a call of the frame failed
	exitOrphaned = 97 // the shim is gone
	exitExec     = 98 // execve failed
)

// cloneInit writes the part of the program that is known before the launch is planned: the runner clones init and
// exits, and init waits. So the kernel makes the namespaces while the shim plans.
func (l *Launch) cloneInit(hostNet bool) {
	b := &build{Builder: l.builder, launch: l}
	outer := new(program.Label)
	b.Layer("namespaces")
	// First, for a host that finds the runner of a killed shim by this name.
	b.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.RunnerName)))
	flags := unix.CLONE_PARENT | int(unix.SIGCHLD)
	if l.is(full) {
		flags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	}
	if l.is(full) && !hostNet {
		flags |= unix.CLONE_NEWNET
	}
	zero := program.Int(0)
	l.clone = b.Step(sys.Clone(flags)).Returns(zero).Fork().Else(outer)
	b.awaitRelease()
	b.Jump(&l.completed)
	b.Bind(outer)
	b.BranchUnlessOK(&l.fail)
	exit(b, 0)
	b.Bind(&l.fail)
	exit(b, exitFailed)
}

// writeFrame writes the rest of the program: init makes the calls of its rows, clones the server's process and reaps.
// The server's process makes the calls of its rows, says that it is ready, waits for its release and executes the
// server.
func (l *Launch) writeFrame(b *build) {
	reap := new(program.Label)
	b.Bind(&l.completed)
	l.writeRows(b, inInit)

	b.Layer("exec")
	l.server = l.cloneServer(b).Else(reap)
	l.writeRows(b, inServer)
	l.execServer(b)

	b.Bind(reap)
	b.BranchUnlessOK(&l.fail)
	l.state.trace.traceServer(b)
	b.Layer("privileges")
	l.state.initCaps = b.dropCapabilities(l.is(full))
	b.Layer("exec")
	l.initReady = b.Len()
	b.signalReady()
	l.state.trace.detachAtExec(b)
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

// execServer is the end of the server's process: ready, wait, unblock the signals, execve.
func (l *Launch) execServer(b *build) {
	b.Layer("exec")
	l.serverReady = b.Len() // the shim may read the memory before the next result is stored
	b.signalReady()
	b.awaitRelease()
	// Last, or a signal between this call and execve would be lost.
	b.Step(sys.Sigsetmask(0))
	l.exec = b.Call(sys.Execve(b.View.Command, b.Strings(b.View.Argv), b.Strings(b.Env)))
	exit(b, exitExec)
}

// signalReady tells the shim that the process has come to the end of its evidence.
func (b *build) signalReady() {
	b.Step(sys.Write(sys.FD(fdReady), MsgReady)).Returns(program.Int(len(MsgReady)))
}

// awaitRelease waits for the shim. It ends the process if the shim is gone, which alone holds the other end.
func (b *build) awaitRelease() {
	b.Step(sys.Read(sys.FD(fdRelease), b.Space(8), 1)).Returns(program.Int(1))
}

// checkParentAlive ends the process if the shim is gone: PR_SET_PDEATHSIG tells only of a later death.
func (b *build) checkParentAlive() {
	poll := program.Words(fdLifeline) // no events: POLLHUP alone
	b.Step(sys.Ppoll(poll, 1, program.Words(0, 0))).Returns(program.Int(0))
}

// initPID is init's number for itself and for the server.
func (l *Launch) initPID() int {
	if l.is(full) {
		return 1
	}
	return l.Init()
}

func exit(b *build, code int) { b.Call(sys.ExitGroup(code)) }
