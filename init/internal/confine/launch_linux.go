package confine

import (
	"math"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Descriptors of a runner behind standard input, output and error, in the order in which the shim hands them over.
const (
	fdProgram  = 3 // the program
	fdLifeline = 4 // end of file when the shim is gone; a byte is a message of [MsgFreeze] or a signal for the server
	fdReady    = 5 // messages to the shim: [MsgReady], [MsgListener], [MsgStopped]
	fdRelease  = 6 // a byte resumes the program; end of file when the shim is gone
	fdCanary   = 7 // a folder that no rule of Landlock opens; in the host's root the one that holds the private folders
	fdTrees    = 8 // trees that a root launcher opened, one for each bind; or fdImage
	fdHost     = 3 // in init's loop, in place of the program: a pidfd of the host
	fdImage    = 8 // without a pid namespace: what init executes when the shim is gone
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

// A Launch is a request as a program, with the rows that check what the program returned.
type Launch struct {
	*program.Program
	Spans [][2]int // the calls of each row, in the order of the table: the first, and the one behind the last

	builder     *program.Builder
	req         *Request
	confinement policy.Confinement
	in          confinements
	rows        []entry
	state       state
	frame
}

// frame is what the calls around the rows leave for those who read the program's memory.
type frame struct {
	completed, fail program.Label

	clone  program.Op   // its result is init's process id, in the shim's pid namespace
	server program.Op   // its result is the server's process id, for init
	exec   program.Op   // the server's execve
	reaped program.Op   // its result is the server's process id once the server has been reaped
	status program.Addr // then this is its wait status

	extraFDs    int // descriptors from fdTrees on
	filterLoad  int // Ops behind this one are seen by the server's filter
	serverReady int // Ops before this one must have run when the server's process says that it is ready
	initReady   int // and Ops of init before this one when init says so
}

// View is the server's view of the file system.
func (l *Launch) View() *fsview.View { return l.req.View }

// build is what a row lays its calls out with.
type build struct {
	*program.Builder
	*Request
	launch *Launch
}

// NewLaunch makes a launch in mem. Its runner can be started: init waits for the rest of the program. NoFilter leaves
// the filter out, which only confinement limits can do.
func NewLaunch(mem []byte, p *policy.Policy, c policy.Confinement, noFilter bool) *Launch {
	in := setOf(c, noFilter)
	b := program.New(mem)
	l := &Launch{Program: b.Program, builder: b, confinement: c, in: in}
	l.rows = rowsOf(in, &l.state)
	l.cloneInit(p.Level == policy.LevelNetwork)
	return l
}

// Complete writes the rest of the program. Then init can be resumed.
func (l *Launch) Complete(req *Request) error {
	l.req, l.filterLoad = req, math.MaxInt
	// A bind takes at least five calls where there is a file barrier. More binds than fit would be compared with
	// each other for minutes.
	const each = 5
	if req.binds() > program.MaxOps/each && !l.is(limitsAny|unconfined) {
		return program.ErrFull
	}
	switch {
	case l.is(shared):
		l.extraFDs = 1
	case req.Machine.Root:
		l.extraFDs = req.binds()
	}
	if req.HostGrace > 0 {
		l.extraFDs++
	}
	l.writeFrame(&build{Builder: l.builder, Request: req, launch: l})
	if l.builder.Full() {
		return program.ErrFull
	}
	return nil
}
