package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// A post is where init waits, for the rest of its life, for the shim's letters and for the end of processes.
type post struct {
	fds     program.Addr // two struct pollfd
	signals program.Op   // its result is a signalfd
	letter  program.Addr
	info    program.Addr
	job     job
}

// post opens it, and lets go of what is the server's alone: the reader of its output sees the end only when nobody else can
// write.
func (l *Launch) post(b *build) *post {
	b.Step(unix.SYS_CLOSE_RANGE, program.Int(0), program.Int(fdProgram), program.Int(0))
	p := &post{fds: b.Data(pollfds(fdLifeline))}
	p.signals = b.Step(unix.SYS_SIGNALFD4, program.Int(-1), program.Words(1<<(uint(unix.SIGCHLD)-1)), program.Int(8),
		program.Int(unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)).Into(p.fds.Plus(8))
	l.status = b.Space(8)
	p.letter, p.info = b.Space(8), b.Space(128)
	p.job = b.job()
	return p
}

// next waits and reads a letter. The lifeline does not block: 0 is its end, EAGAIN that there is no letter.
func (p *post) next(b *build) program.Op {
	b.Any(unix.SYS_PPOLL, program.Ref(p.fds), program.Int(2), program.Int(0), program.Int(0), program.Int(8))
	return b.StepExactly(program.Int(0), unix.SYS_READ, program.Int(fdLifeline), program.Ref(p.letter), program.Int(1))
}

// read takes what a signal left in the signalfd, or poll would report it again.
func (p *post) read(b *build) {
	b.Any(unix.SYS_READ, p.signals.Result(), program.Ref(p.info), program.Int(128))
}

// pollfds lays out two struct pollfd that wait for input; the second one's descriptor is filled in later.
func pollfds(first byte) []byte {
	const pollin = 1
	b := make([]byte, 16)
	b[0], b[4], b[12] = first, pollin, pollin
	return b
}
