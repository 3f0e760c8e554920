package layers

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
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

// Messages. From the shim to init: a byte, which is a signal for the server, or one of the first two. The others are to
// the shim.
const (
	MsgFreeze = 0   // stops every process of the sandbox at once: signals one by one would miss a process that forks
	MsgAsked  = 253 // the server was asked to end: an init that a host launched itself does not ask again
	MsgEnd    = 254 // ends an init that a host launched itself: at the end of file the server has its grace first
	MsgSocket = 255 // asks for one more socket for a published port

	MsgReady    = "." // a process has come to the end of its evidence; later from init: the server was reaped
	MsgStopped  = "s" // a server with a terminal was stopped
	MsgListener = "l" // carries the seccomp listener
	MsgEgress   = "e" // carries the sockets of [EgressSockets]
	MsgMounts   = "m" // carries a descriptor of init's table of mounts
	MsgRoom     = "r" // carries the first folder on the private tmpfs
	MsgPublish  = "p" // carries [PublishReady] sockets; later one that was asked for, or none if that failed
)

// layerExec is the layer of the frame's own calls.
const layerExec = "exec"

// cloneInit writes the part of the program that is known before the launch is planned: the runner clones init and
// exits, and init waits. So the kernel makes the namespaces while the shim plans.
func cloneInit(b *build, hostNet bool) {
	l, outer := b.layout, new(program.Label)
	b.Layer("namespaces")
	// First, for a host that finds the runner of a killed shim by this name.
	b.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.RunnerName)))
	flags := unix.CLONE_PARENT | int(unix.SIGCHLD) | initFlags(l, hostNet)
	l.clone = b.Step(sys.Clone(flags)).Returns(program.Int(0)).Fork().Else(outer)
	l.lasting[0] = program.Mark(b.Builder)
	awaitRelease(b)
	b.Jump(&l.completed)
	b.Bind(outer)
	b.BranchUnlessOK(&l.fail)
	exit(b, 0)
	b.Bind(&l.fail)
	exit(b, exitFailed)
}

// initFlags are the namespaces of init's own.
func initFlags(l *Layout, hostNet bool) (flags int) {
	if l.is(full) {
		flags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	}
	if l.is(full) && !hostNet {
		flags |= unix.CLONE_NEWNET
	}
	return flags
}

// writeFirst writes the rows that init makes before the launch is planned.
func writeFirst(b *build) {
	l := b.layout
	b.Bind(&l.completed)
	leaveParent(b)
	l.state = new(state)
	writeRows(b, firstRows(l.state))
}

// writeFrame writes the rest of the program: init makes the calls of its rows, clones the server's process and reaps.
// The server's process makes the calls of its rows, says that it is ready, waits for its release and executes the
// server.
func writeFrame(b *build) {
	l, reap, s := b.layout, new(program.Label), b.layout.state
	writeRows(b, initRows(s))
	l.initProofs = len(l.proofs)

	b.Layer(layerExec)
	l.server = cloneServer(b, s.cgroup).Else(reap)
	writeRows(b, serverRows(s))
	execServer(b)

	b.Bind(reap)
	if l.parent != nil { // there it was not bound
		var cloned program.Label
		b.BranchUnlessOK(&l.fail)
		b.Jump(&cloned)
		b.Bind(&l.fail)
		exit(b, exitFailed)
		b.Bind(&cloned)
	} else {
		b.BranchUnlessOK(&l.fail)
	}
	s.trace.traceServer(b)
	b.Layer("privileges")
	s.initCaps = dropCapabilities(b, l.is(full))
	b.Layer(layerExec)
	l.initReady = b.Len()
	signalReady(b)
	s.trace.detachAtExec(b)
	if l.is(full) {
		reapLoop(b)
	} else {
		reapLoopShared(b)
	}
}

// writeRows lays out the rows that the confinement has.
func writeRows(b *build, rows []entry) {
	for _, e := range rows {
		if b.layout.is(e.where) {
			b.Layer(string(e.layer))
			b.layer = e.layer
			from := b.Len()
			e.row.layout(b)
			b.layout.Spans = append(b.layout.Spans, [2]int{from, b.Len()})
		}
	}
}

// execServer is the end of the server's process: ready, wait, unblock the signals, execve.
func execServer(b *build) {
	b.Layer(layerExec)
	b.layout.serverReady = b.Len() // the shim may read the memory before the next result is stored
	b.layout.lasting[1] = program.Mark(b.Builder)
	signalReady(b)
	awaitRelease(b)
	// Last, or a signal between this call and execve would be lost.
	b.Step(sys.Sigsetmask(0))
	b.layout.exec = b.Call(sys.Execve(b.View.Command, b.Strings(b.View.Argv), b.Strings(b.Env)))
	exit(b, exitExec)
}

// signalReady tells the shim that the process has come to the end of its evidence.
func signalReady(b *build) {
	b.Step(sys.Write(sys.FD(fdReady), MsgReady)).Returns(program.Int(len(MsgReady)))
}

// awaitRelease waits for the shim's byte. The process ends at end of file: only the shim holds the other end.
func awaitRelease(b *build) {
	b.Step(sys.Read(sys.FD(fdRelease), b.Space(8), 1)).Returns(program.Int(1))
}

// checkParentAlive ends the process if the shim is gone: PR_SET_PDEATHSIG signals only a later death.
func checkParentAlive(b *build) {
	poll := program.Words(fdLifeline) // no events: POLLHUP alone
	b.Step(sys.Ppoll(poll, 1, program.Words(0, 0))).Returns(program.Int(0))
}

// initPID is init's number for itself and for the server.
func initPID(l *Layout) int {
	if l.is(full) {
		return 1
	}
	return l.Init()
}

// provenInitPID is the same as the results have it.
func provenInitPID(l *Layout, c *check) string {
	if l.is(full) {
		return "1"
	}
	return c.result(l.clone)
}

func exit(b *build, code int) { b.Call(sys.ExitGroup(code)) }
