package rows

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// initLoop is where init waits, for the rest of its life, for the shim's letters and for the end of processes.
type initLoop struct {
	fds      program.Addr // three struct pollfd: the lifeline, the signalfd, and the host
	grace    time.Duration
	signalfd program.Op // its result is a signalfd
	signal   program.Addr
	info     program.Addr
	jobs     jobControl
}

// newInitLoop opens it, and lets go of what is the server's alone: the reader of its output sees the end only when nobody else can
// write.
func (l *Launch) newInitLoop(b *build) *initLoop {
	p := &initLoop{fds: b.Data(pollfds(fdLifeline, b.HostGrace > 0)), grace: b.HostGrace}
	last := fdProgram
	if p.grace > 0 { // its program is mapped, and the number free
		last = fdProgram - 1
	}
	b.Step(sys.CloseRange(0, last, 0))
	p.signalfd = b.Step(sys.Signalfd(1<<(uint(unix.SIGCHLD)-1), unix.SFD_NONBLOCK|unix.SFD_CLOEXEC)).StoreAt(p.fds.Plus(8))
	l.status = b.Space(8)
	p.signal, p.info = b.Space(8), b.Space(128)
	p.jobs = b.jobControl()
	return p
}

// awaitSignal waits and reads a letter. The lifeline does not block: 0 is its end, EAGAIN that there is no letter. It goes on at
// orphaned when the host has ended, and a shim that lives has not ended the server for longer than it ever takes.
func (p *initLoop) awaitSignal(b *build, orphaned *program.Label) program.Op {
	b.Call(sys.Ppoll(program.Ref(p.fds), 3, program.Int(0)))
	if p.grace > 0 {
		p.checkHost(b, orphaned)
	}
	return b.StepExactly(program.Int(0), sys.Read(sys.FD(fdLifeline), p.signal, 1))
}

// checkHost looks at the host's descriptor. When the host has ended a timer takes its place, which can be read as a pidfd cannot.
func (p *initLoop) checkHost(b *build, orphaned *program.Label) {
	lives, ended, set := new(program.Label), new(program.Label), new(program.Label)
	b.StepExactly(program.Int(0), sys.Ppoll(program.Ref(p.fds.Plus(16)), 1, program.Words(0, 0))).Else(ended)
	b.Jump(lives)
	b.Bind(ended)
	b.Call(sys.Read(sys.FD(fdHost), p.info, 8))
	b.BranchUnlessOK(set)
	b.Jump(orphaned)
	b.Bind(set)
	timer := b.Step(sys.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)).Else(orphaned)
	b.Step(sys.Dup3(timer.Result(), fdHost, unix.O_CLOEXEC)).Else(orphaned)
	b.Step(sys.TimerfdSettime(sys.FD(fdHost), 0, program.Words(0, 0, uint64(p.grace/time.Second), uint64(p.grace%time.Second)))).Else(orphaned)
	b.Bind(lives)
}

// descriptors is how many of lifeline and host there are to wait for.
func (p *initLoop) descriptors() int {
	if p.grace > 0 {
		return 2
	}
	return 1
}

const pollin = 1 // POLLIN

// placeHost moves the host's descriptor to where the post has it.
func (l *Launch) placeHost(b *build) {
	if b.HostGrace > 0 {
		b.Step(sys.Dup3(sys.FD(fdTrees+l.extraFDs-1), fdHost, unix.O_CLOEXEC))
	}
}

// drainSignalfd takes what a signal left in the signalfd, or poll would report it again.
func (p *initLoop) drainSignalfd(b *build) {
	b.Call(sys.Read(p.signalfd.Result(), p.info, 128))
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
