package layers

import (
	"math"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Descriptors of a runner behind standard input, output and error, in the order in which the shim hands them over.
const (
	fdProgram  = 3 // the program
	fdLifeline = 4 // end of file when the shim is gone; a byte is a message of [MsgFreeze] or a signal for the server
	fdReady    = 5 // messages to the shim: [MsgReady], [MsgListener], [MsgStopped]
	fdRelease  = 6 // a byte resumes the program; end of file when the shim is gone
	fdCanary   = 7 // a folder that no rule of Landlock opens; in the host's root the one that holds the private folders
	fdTrees    = 8 // trees that a root launcher opened, one for each bind; or fdImage
	fdHosted   = 8 // of a parent and its init: a pidfd of the host
	fdRunner   = 9 // of a parent: the runner's executable
	fdHost     = 3 // in init's loop, in place of the program: a pidfd of the host
	fdImage    = 8 // without a pid namespace: the file that init executes when the shim is gone
)

// ReaperFolder is where an init that executes the shim's image has the folder that holds the private folders.
const ReaperFolder = fdCanary

// Files are the descriptors of a runner, given the shim's ends: folder is at fdCanary, and more are at fdTrees and up.
func Files(stdio [3]int, prog, lifeline, ready, release, folder int, more []int) []int {
	f := make([]int, 0, fdTrees+len(more)+1)
	f = append(f, stdio[0], stdio[1], stdio[2], prog, lifeline, ready, release, folder)
	f = append(f, more...)
	return append(f, prog) // an unnamed descriptor, for the proof that the first row closes them
}

// ParentFiles are the descriptors of a parent from number 3 on, given the other end of the socket, a pidfd of the host
// and the runner's executable. The pipes come later.
func ParentFiles[F any](prog, ready, host, exe F) []F {
	return []F{prog, prog, ready, prog, prog, host, exe}
}

// A Layout is a request as a program, with the proofs that compare the program's results.
type Layout struct {
	*program.Program
	Spans [][2]int // the calls of each row, in the order of the table: the first, and the one behind the last

	builder     *program.Builder
	req         *Request
	confinement policy.Confinement
	in          confinements
	proofs      []proof
	acks        []fileRead // answers of rtnetlink; an error there is a refusal's
	rules       *match.Rules
	parent      *parent          // nil: the runner ends when it has cloned init
	lasting     [2]program.Place // those before the first and behind the second outlast [Released]
	frame
}

// frame has the Ops of the calls around the rows, for the readers of the program's memory.
type frame struct {
	completed, fail program.Label
	state           *state // of the rows; nil until the first of them are laid out

	clone  program.Op   // its result is init's process id, in the shim's pid namespace
	server program.Op   // its result is the server's process id, for init
	exec   program.Op   // the server's execve
	reaped program.Op   // its result is the server's process id once the server has been reaped
	status program.Addr // then this is its wait status

	filterLoad  int // Ops behind this one are seen by the server's filter
	serverReady int // Ops before this one must have run when the server's process says that it is ready
	initReady   int // and Ops of init before this one when init says so
	initProofs  int // the first so many of the proofs are of init's rows
}

// build is the builder with which a row lays its calls out.
type build struct {
	*program.Builder
	*Request
	layout   *Layout
	layer    order.Layer // of the row
	extraFDs int         // descriptors from fdTrees on
}

// prove compares the results of the row's calls, once the launch waits for its release.
func (b *build) prove(compare func(*check)) {
	b.layout.proofs = append(b.layout.proofs, proof{b.layer, compare})
}

// fact proves that a call returned want.
func (b *build) fact(name, want string, o program.Op) {
	b.prove(func(c *check) { c.fact(name, want, c.result(o)) })
}

// lacks reports, without a trial, a fact that the machine lacks.
func (b *build) lacks(name, want, reason, effect string) {
	b.prove(func(c *check) { c.lacks(name, want, reason, effect) })
}

// View is the server's view of the file system.
func (l *Layout) View() *fsview.View { return l.req.View }

// hasEgress reports whether the policy opens hosts by name.
func (b *build) hasEgress() bool { return HasEgress(&b.Policy, b.layout.rules) }

// is reports whether the launch's confinement is one of these.
func (l *Layout) is(s confinements) bool { return l.in&s != 0 }

// NewLayout makes a launch in mem. Its runner can be started: init waits for the rest of the program. NoFilter leaves
// the filter out, which only confinement limits can do.
func NewLayout(mem []byte, p *policy.Policy, c policy.Confinement, noFilter bool) *Layout {
	l, b := newLayout(mem, p, c, noFilter)
	cloneInit(b, p.Level == policy.LevelNetwork)
	return l
}

func newLayout(mem []byte, p *policy.Policy, c policy.Confinement, noFilter bool) (*Layout, *build) {
	b := program.New(mem)
	l := &Layout{Program: b.Program, builder: b, confinement: c, in: setOf(c, noFilter),
		rules: match.New(&p.Network)}
	return l, &build{Builder: b, layout: l}
}

// Begin writes the rows that need no view, and a wait behind them: init can be resumed, and waits again for the rest.
// The request has no view and no group yet. A root launcher's init has further descriptors, of a view: there only
// Complete writes. Where that is too much, nothing may be resumed, and Complete says so.
func (l *Layout) Begin(req *Request) (fits bool) {
	b := buildOf(l, req)
	writeFirst(b)
	b.Layer(layerExec)
	awaitRelease(b)
	return !b.Full()
}

// buildOf is the builder of a request's rows.
func buildOf(l *Layout, req *Request) *build {
	b := &build{Builder: l.builder, Request: req, layout: l}
	switch {
	case l.is(shared):
		b.extraFDs = 1
	case req.Machine.Root:
		b.extraFDs = req.binds() + len(ClosedCovers(req.View))
	}
	if req.HostGrace > 0 {
		b.extraFDs++
	}
	return b
}

// Complete writes the rest of the program. Then init can be resumed.
func (l *Layout) Complete(req *Request) error {
	l.req, l.filterLoad = req, math.MaxInt
	// A bind takes at least five calls where there is a file barrier. More binds than fit would be compared with
	// each other for minutes.
	const each = 5
	if req.binds() > program.MaxOps/each && !l.is(limitsAny|unconfined) {
		return program.ErrFull
	}
	b := buildOf(l, req)
	if l.state == nil {
		writeFirst(b)
	}
	writeFrame(b)
	if b.Full() {
		return program.ErrFull
	}
	return nil
}

// Released gives back the calls of the rows and what proved them: the server may run. Those that init's loop and a
// parent make stay, and their results.
func Released(l *Layout) {
	program.Forget(l.Program, l.lasting[0], l.lasting[1], l.server)
	l.builder, l.proofs, l.acks, l.rules, l.state, l.Spans = nil, nil, nil, nil, nil, nil
	l.req.Env, l.req.Filters = nil, Filters{}
}

// Init is init's process id in the shim's pid namespace, once the runner has exited; 0 or less if there is no
// init.
func (l *Layout) Init() int { return int(int32(l.Live(l.clone))) }

// Reached is the layer of the call at which a launch stopped.
func (l *Layout) Reached(r *program.Results) string {
	if f, some := l.FirstFailure(r, l.serverReady, true); some {
		return f.Layer
	}
	return "exec"
}

// Ended is the server's wait status as init stored it, or false if init ended without reaping the server.
// The status is a claim by process 1, read once: only the report of the end may depend on it.
func (l *Layout) Ended() (status uint32, ok bool) {
	server := l.Live(l.server)
	if server <= 0 || l.Live(l.reaped) != server {
		return 0, false
	}
	return l.LiveWord32(l.status), true
}

// ExecError is the error of execve, or nil if execve has not failed.
func (l *Layout) ExecError() error {
	if v := l.Live(l.exec); v < 0 && v > -4096 {
		return syscall.Errno(-v)
	}
	return nil
}

// ExecFailed reports whether the server's process exited because its execve failed.
func (l *Layout) ExecFailed(code int) bool { return code == exitExec && l.ExecError() != nil }

// OverCPU reports whether a processor time may be at the server's RLIMIT_CPU, the policy's or an inherited one,
// at which the kernel kills a process that ignores SIGXCPU; getrlimit(2). For the limit the kernel counts ticks, each
// for the process that it hits: it counted 3 s for 2.22 s by the rusage of wait4 where many other processes ran, each
// for less than a tick.
func (l *Layout) OverCPU(seconds float64) bool {
	limit := l.req.Machine.Hard[unix.RLIMIT_CPU]
	if n, limited := l.req.cpuSeconds(); limited {
		limit = min(limit, uint64(n))
	}
	return seconds >= 0.6*float64(limit)
}
