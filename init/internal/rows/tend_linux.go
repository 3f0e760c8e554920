package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// reapLoopShared is what init does for the rest of its life where it has no pid namespace: reap, pass signals on, and see to it that
// nobody is left when the server has ended, or the shim. A program cannot read /proc: as long as the shim lives it kills
// what the server leaves behind; when it has died, init executes its image, which does that and ends.
func (l *Launch) reapLoopShared(b *build) {
	zero := program.Int(0)
	l.placeHost(b)
	b.Call(sys.CloseRange(fdRelease, fdRelease, 0))
	p := l.newInitLoop(b)
	loop, one, wait, another := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	left, more, letters, orphaned, gone := new(program.Label), new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	next := func(noEnd *program.Label) {
		p.awaitSignal(b, orphaned).Else(noEnd)
		b.Jump(orphaned)
		b.Bind(noEnd)
	}

	b.Bind(loop)
	next(one)
	noLetter := new(program.Label)
	b.BranchUnless(program.Int(1), noLetter)
	b.Call(sys.Kill(l.server.Result(), program.Word(p.signal)))
	p.jobs.continueGroup()
	b.Bind(noLetter)
	p.drainSignalfd(b)
	p.jobs.reportStop()
	b.Bind(wait)
	// That this call returned the server's id says that its status is the server's: init makes no other call after it.
	l.reaped = b.StepExactly(l.server.Result(), sys.Wait4(-1, l.status, unix.WNOHANG)).Else(another)
	// If that was the last process, init ends: nobody else can be left, for orphans are its children. Else the shim kills
	// them, and init reaps, so that their usage is known.
	b.Call(sys.Wait4(-1, 0, unix.WNOHANG))
	b.BranchUnlessOK(gone)
	b.Call(sys.Write(sys.FD(fdReady), ".")) // the shim may be gone by now
	b.Jump(more)
	b.Bind(left)
	next(letters)
	p.drainSignalfd(b)
	b.Bind(more)
	b.Call(sys.Wait4(-1, 0, unix.WNOHANG))
	b.BranchUnlessOK(gone)
	b.BranchUnless(zero, more)
	b.Jump(left)
	b.Bind(gone)
	exit(b, 0)
	b.Bind(another)
	b.BranchUnlessOK(loop)
	b.BranchUnless(zero, wait)
	b.Jump(loop)

	b.Bind(orphaned)
	b.Call(sys.Execveat(sys.FD(fdImage), "", b.Strings(b.Reaper), b.Strings([]string{"GODEBUG=containermaxprocs=0"}), unix.AT_EMPTY_PATH))
	b.Call(sys.Kill(l.server.Result(), program.Int(int(unix.SIGKILL))))
	exit(b, exitOrphaned)
}
