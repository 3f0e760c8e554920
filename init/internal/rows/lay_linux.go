package rows

import (
	"time"

	"math"
	"slices"

	cgroups "github.com/security-mcp/mcp-sandbox/init/internal/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Descriptors of a runner. The shim puts them there, in this order, behind standard input, output and error.
const (
	fdProgram  = 3 // the program itself
	fdLifeline = 4 // reads as ended when the shim is gone; a byte is a signal for the server
	fdReady    = 5 // tells the shim that the evidence is complete
	fdRelease  = 6 // a byte lets the program go on; ended when the shim is gone
	fdCanary   = 7 // a folder that Landlock must close; without a root of its own the one that holds the private folders
	fdTrees    = 8 // what a root launcher opened, one for each Bind; or fdImage
	fdHost     = 3 // in init's loop, where it has its program no more: reads as ended when the host is gone
	fdImage    = 8 // without a pid namespace: what init executes when the shim is gone
)

// ReaperFolder is where an init that executes the shim's image has the folder of the private folders.
const ReaperFolder = fdCanary

// A Machine is what the shim found out about the machine it runs on.
type Machine struct {
	Kernel      string
	LandlockABI int        // 0: there is none, because of
	NoLandlock  unix.Errno // what the kernel or a filter says
	Deadly      []uintptr  // calls that end their caller: a filter around the launcher does so
	LastCap     int        // the highest capability's number
	Namespaces  [7]uint64  // inodes of the shim's own, in the order of platform.NamespaceNames
	Route       bool       // the shim can connect a UDP socket to 192.0.2.1
	Umask       int        // the launcher's

	Shared bool // there is no user namespace for this launch

	UID, GID           int  // the server's ids, inside and (but for a mapped root) outside
	OuterUID, OuterGID int  // what they are mapped to
	MachinesRoot       bool // the server is user 0 of the whole machine, by whatever number
	Root               bool // the shim is a root that maps ids and opens grants for another user
	Groups             int  // how many supplementary groups the launcher has
	Dumpable           int  // what PR_GET_DUMPABLE says of init once it has its ids

	Caps platform.Capabilities // the shim's

	Hard            [16]uint64 // the launcher's hard limits, by resource
	CorePattern     byte       // how kernel.core_pattern starts: '|' is a program, '@' a socket
	CPUs            int        // online
	CountsProcesses bool       // RLIMIT_NPROC counts per user namespace: Linux 5.14 or later
}

// Kills reports whether the call is one that nobody here survives.
func (m *Machine) Kills(nr uintptr) bool { return slices.Contains(m.Deadly, nr) }

// A Request is one launch.
type Request struct {
	Policy  policy.Policy
	View    *view.View
	Machine Machine
	Env     []string
	Filter  []byte         // the seccomp program, as struct sock_filter
	Asking  []byte         // the same, but that it asks a listener about what is told to the user; nil: there is none
	Group   *cgroups.Group // the server's, or nil
	Lost    string         // why a stronger confinement was not reached; "" if none was tried
	Reaper  []string       // with which arguments init executes fdImage
	// HostGrace is how long after its host's end a server may live at most, were its shim stopped; 0 if no host is handed on,
	// as the last descriptor.
	HostGrace time.Duration
	Stdio     [3]Standard // what the shim hands over as standard input, output and error
	TTY       bool        // standard input is a terminal without a session, which becomes the server's
}

// A Launch is a request laid out as a program.
type Launch struct {
	*program.Program
	req         *Request
	confinement policy.Confinement
	in          confinements
	rows        []entry
	extraFDs    int // descriptors from fdTrees on

	Spans [][2]int // the calls of each row, in the order of the table: the first, and the one behind the last

	completed, fail program.Label

	clone     program.Op // its result is init's process id, in the shim's namespace
	server    program.Op
	exec      program.Op
	reaped    program.Op   // its result is the server's id once the server has ended
	status    program.Addr // then this is its wait status
	cloneArgs program.Addr // how the server is cloned into its group; 0: there is none

	filterLoad  int // the last Op that the server's own filter does not see
	serverReady int // Ops before this one must have run when the shim is told that the server is ready
	initReady   int // and those of init before this one, when it tells that

	hostDevpts stat          // /dev/pts of the host
	outside    program.Op    // a look at something of the host, before the root is built
	proc       [2]program.Op // mounts of proc: with hidepid, and without where that is unknown
	keysMask   program.Op    // the mount over /proc/keys
	procStat   stat          // of /proc, in the new root
	landlock   landlockState
	singleExec singleExec
	families   []family
	initCaps   capabilities
}

// View is what the server of the launch will see.
func (l *Launch) View() *view.View { return l.req.View }

// build is what a row lays its calls out with.
type build struct {
	*program.Program
	*Request
	launch *Launch

	denyMasks []program.Arg // trees that lie over denied paths, in the order of the view
	keysTree  program.Arg   // the tree that lies over /proc/keys
	maskMade  [2]bool       // whether the denied folder and the denied file exist
}

// NewLaunch makes a launch in mem whose runner can be started already: its init waits for the rest of the program.
// NoFilter leaves the filter out, which only confinement limits can do without.
func NewLaunch(mem []byte, p *policy.Policy, c policy.Confinement, noFilter bool) *Launch {
	in := setOf(c, noFilter)
	l := &Launch{Program: program.New(mem), confinement: c, in: in, rows: rowsOf(in)}
	l.cloneInit(p.Level == policy.LevelNetwork)
	return l
}

// Complete writes the rest of the program. Afterwards init may go on.
func (l *Launch) Complete(req *Request) error {
	l.req, l.filterLoad = req, math.MaxInt
	const each = 5 // calls at the least, in any confinement with a barrier; compared with each other they would take minutes
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
	l.writeFrame(&build{Program: l.Program, Request: req, launch: l})
	if l.Full() {
		return program.ErrFull
	}
	return nil
}

// Files are the descriptors a runner starts with, given the shim's ends: folder is at fdCanary, and more what comes from
// fdTrees on.
func Files(stdio [3]int, prog, lifeline, up, release, folder int, more []int) []int {
	f := append(make([]int, 0, fdTrees+len(more)+1), stdio[0], stdio[1], stdio[2], prog, lifeline, up, release, folder)
	f = append(f, more...)
	return append(f, prog) // a descriptor that nobody named: the first row has to close it
}
