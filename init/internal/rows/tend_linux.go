package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// tend is what init does for the rest of its life where it has no pid namespace: reap, pass signals on, and see to it that
// nobody is left when the server has ended, or the shim. A program cannot read /proc: as long as the shim lives it kills
// what the server leaves behind; when it has died, init executes its image, which does that and ends.
func (l *Launch) tend(b *build) {
	zero := program.Int(0)
	l.watchHost(b)
	b.Any(sys.CloseRange(fdRelease, fdRelease, 0))
	p := l.post(b)
	loop, one, wait, another := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	left, more, letters, orphaned, gone := new(program.Label), new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	next := func(noEnd *program.Label) {
		p.next(b, orphaned).Else(noEnd)
		b.Jump(orphaned)
		b.Here(noEnd)
	}

	b.Here(loop)
	next(one)
	noLetter := new(program.Label)
	b.Unless(program.Int(1), noLetter)
	b.Any(sys.Kill(l.server.Result(), program.Word(p.letter)))
	p.job.wake()
	b.Here(noLetter)
	p.read(b)
	p.job.stopped()
	b.Here(wait)
	// That this call returned the server's id says that its status is the server's: init makes no other call after it.
	l.reaped = b.StepExactly(l.server.Result(), sys.Wait4(-1, l.status, unix.WNOHANG)).Else(another)
	// If that was the last process, init ends: nobody else can be left, for orphans are its children. Else the shim kills
	// them, and init reaps, so that their usage is known.
	b.Any(sys.Wait4(-1, 0, unix.WNOHANG))
	b.UnlessOK(gone)
	b.Any(sys.Write(sys.FD(fdUp), ".")) // the shim may be gone by now
	b.Jump(more)
	b.Here(left)
	next(letters)
	p.read(b)
	b.Here(more)
	b.Any(sys.Wait4(-1, 0, unix.WNOHANG))
	b.UnlessOK(gone)
	b.Unless(zero, more)
	b.Jump(left)
	b.Here(gone)
	exit(b, 0)
	b.Here(another)
	b.UnlessOK(loop)
	b.Unless(zero, wait)
	b.Jump(loop)

	b.Here(orphaned)
	b.Any(sys.Execveat(sys.FD(fdImage), "", b.Strings(b.Reaper), b.Strings([]string{"GODEBUG=containermaxprocs=0"}), unix.AT_EMPTY_PATH))
	b.Any(sys.Kill(l.server.Result(), program.Int(int(unix.SIGKILL))))
	exit(b, exitOrphaned)
}
