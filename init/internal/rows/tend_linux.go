package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// tend is what init does for the rest of its life where it has no pid namespace: reap, pass signals on, and see to it that
// nobody is left when the server has ended, or the shim. A program cannot read /proc: as long as the shim lives it kills
// what the server leaves behind; when it has died, init executes its image, which does that and ends.
func (l *Launch) tend(b *build) {
	zero, nohang := program.Int(0), program.Int(unix.WNOHANG)
	closed := program.Int(fdRelease)
	b.Any(unix.SYS_CLOSE_RANGE, closed, closed, zero)
	// The reader of the server's output sees its end only when nobody else can write: not even init.
	b.Step(unix.SYS_CLOSE_RANGE, zero, program.Int(fdProgram), zero)
	fds := b.Data(pollfds(fdLifeline))
	signals := b.Step(unix.SYS_SIGNALFD4, program.Int(-1), program.Words(1<<(uint(unix.SIGCHLD)-1)), program.Int(8),
		program.Int(unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)).Into(fds.Plus(8))

	l.status = b.Space(8)
	letter, info := b.Space(8), b.Space(128)
	job := b.job()
	loop, one, wait, another := new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	left, more, letters, orphaned, gone := new(program.Label), new(program.Label), new(program.Label), new(program.Label), new(program.Label)
	next := func(noEnd *program.Label) {
		b.Any(unix.SYS_PPOLL, program.Ref(fds), program.Int(2), zero, zero, program.Int(8))
		// The lifeline does not block: 0 is its end, EAGAIN that there is no letter.
		b.StepExactly(zero, unix.SYS_READ, program.Int(fdLifeline), program.Ref(letter), program.Int(1)).Else(noEnd)
		b.Jump(orphaned)
		b.Here(noEnd)
	}
	reap := func() { b.Any(unix.SYS_READ, signals.Result(), program.Ref(info), program.Int(128)) }

	b.Here(loop)
	next(one)
	noLetter := new(program.Label)
	b.Unless(program.Int(1), noLetter)
	b.Any(unix.SYS_KILL, l.server.Result(), program.Word(letter))
	job.wake()
	b.Here(noLetter)
	reap()
	job.stopped()
	b.Here(wait)
	// That this call returned the server's id says that its status is the server's: init makes no other call after it.
	l.reaped = b.StepExactly(l.server.Result(), unix.SYS_WAIT4, program.Int(-1), program.Ref(l.status), nohang, zero).Else(another)
	// If that was the last process, init ends: nobody else can be left, for orphans are its children. Else the shim kills
	// them, and init reaps, so that their usage is known.
	b.Any(unix.SYS_WAIT4, program.Int(-1), zero, nohang, zero)
	b.UnlessOK(gone)
	b.Any(unix.SYS_WRITE, program.Int(fdUp), program.Str("."), program.Int(1)) // the shim may be gone by now
	b.Jump(more)
	b.Here(left)
	next(letters)
	reap()
	b.Here(more)
	b.Any(unix.SYS_WAIT4, program.Int(-1), zero, nohang, zero)
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
	b.Any(unix.SYS_EXECVEAT, program.Int(fdImage), program.Str(""), program.Ref(b.Strings(b.Reaper)),
		program.Ref(b.Strings([]string{"GODEBUG=containermaxprocs=0"})), program.Int(unix.AT_EMPTY_PATH))
	b.Any(unix.SYS_KILL, l.server.Result(), program.Int(int(unix.SIGKILL)))
	exit(b, exitOrphaned)
}
