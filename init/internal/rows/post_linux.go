package rows

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// A post is where init waits, for the rest of its life, for the shim's letters and for the end of processes.
type post struct {
	fds     program.Addr // three struct pollfd: the lifeline, the signalfd, and the host
	grace   time.Duration
	signals program.Op // its result is a signalfd
	letter  program.Addr
	info    program.Addr
	job     job
}

// post opens it, and lets go of what is the server's alone: the reader of its output sees the end only when nobody else can
// write.
func (l *Launch) post(b *build) *post {
	p := &post{fds: b.Data(pollfds(fdLifeline, b.HostGrace > 0)), grace: b.HostGrace}
	last := fdProgram
	if p.grace > 0 { // its program is mapped, and the number free
		last = fdProgram - 1
	}
	b.Step(sys.CloseRange(0, last, 0))
	p.signals = b.Step(sys.Signalfd(1<<(uint(unix.SIGCHLD)-1), unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)).Into(p.fds.Plus(8))
	l.status = b.Space(8)
	p.letter, p.info = b.Space(8), b.Space(128)
	p.job = b.job()
	return p
}

// next waits and reads a letter. The lifeline does not block: 0 is its end, EAGAIN that there is no letter. It goes on at
// orphaned when the host has ended, and a shim that lives has not ended the server for longer than it ever takes.
func (p *post) next(b *build, orphaned *program.Label) program.Op {
	b.Any(sys.Ppoll(program.Ref(p.fds), 3, program.Int(0)))
	if p.grace > 0 {
		p.host(b, orphaned)
	}
	return b.StepExactly(program.Int(0), sys.Read(sys.FD(fdLifeline), p.letter, 1))
}

// host looks at the host's descriptor. When the host has ended a timer takes its place, which can be read as a pidfd cannot.
func (p *post) host(b *build, orphaned *program.Label) {
	lives, ended, set := new(program.Label), new(program.Label), new(program.Label)
	b.StepExactly(program.Int(0), sys.Ppoll(program.Ref(p.fds.Plus(16)), 1, program.Words(0, 0))).Else(ended)
	b.Jump(lives)
	b.Here(ended)
	b.Any(sys.Read(sys.FD(fdHost), p.info, 8))
	b.UnlessOK(set)
	b.Jump(orphaned)
	b.Here(set)
	timer := b.Step(sys.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)).Else(orphaned)
	b.Step(sys.Dup3(timer.Result(), fdHost, unix.O_CLOEXEC)).Else(orphaned)
	b.Step(sys.TimerfdSettime(sys.FD(fdHost), 0, program.Words(0, 0, uint64(p.grace/time.Second), uint64(p.grace%time.Second)))).Else(orphaned)
	b.Here(lives)
}

// waits is how many of lifeline and host there are to wait for.
func (p *post) waits() int {
	if p.grace > 0 {
		return 2
	}
	return 1
}

const pollin = 1 // POLLIN

// watchHost moves the host's descriptor to where the post has it.
func (l *Launch) watchHost(b *build) {
	if b.HostGrace > 0 {
		b.Step(sys.Dup3(sys.FD(fdTrees+l.given-1), fdHost, unix.O_CLOEXEC))
	}
}

// read takes what a signal left in the signalfd, or poll would report it again.
func (p *post) read(b *build) {
	b.Any(sys.Read(p.signals.Result(), p.info, 128))
}

// pollfds lays out three struct pollfd that wait for input; the second one's descriptor is filled in later, and the third may
// be none.
func pollfds(first byte, host bool) []byte {
	b := make([]byte, 24)
	b[0], b[4], b[12], b[16], b[20] = first, pollin, pollin, fdHost, pollin
	if !host {
		copy(b[16:], "\xff\xff\xff\xff")
	}
	return b
}
