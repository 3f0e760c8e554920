package layers

import (
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A Machine has the facts that the shim found about the machine and about itself.
type Machine struct {
	Kernel     string
	Deadly     []uintptr // calls that end their caller: a filter around the launcher does so
	Namespaces [7]uint64 // inodes of the shim's own, in the order of platform.NamespaceNames
	Route      bool      // the shim can connect a UDP socket to 192.0.2.1
	IPv6       bool      // the shim can make a socket of AF_INET6
	Umask      int       // the launcher's
	Shared     bool      // there is no user namespace for this launch
	Landlock
	IDs
	Privileges
	Limits
}

// Landlock is the version that the kernel has.
type Landlock struct {
	LandlockABI int        // 0: there is none, because of
	NoLandlock  unix.Errno // the errno of the kernel or of a filter
}

// IDs are the users and groups of a launch.
type IDs struct {
	UID, GID           int  // the server's ids, inside and (but for a mapped root) outside
	OuterUID, OuterGID int  // the ids outside that they are mapped to
	MachinesRoot       bool // the server is user 0 of the whole machine, by whatever number
	Root               bool // the shim is a root that maps ids and opens grants for another user
	Groups             int  // how many supplementary groups the launcher has
}

// Privileges are the shim's, which init inherits.
type Privileges struct {
	Caps     platform.Capabilities // the shim's
	Dumpable int                   // PR_GET_DUMPABLE's result in init once it has its ids
}

// Limits are the launcher's bounds, and the kernel's ways to count.
type Limits struct {
	Hard            [16]uint64 // the launcher's hard limits, by resource
	CorePattern     byte       // how kernel.core_pattern starts: '|' is a program, '@' a socket
	CPUs            int        // online
	CountsProcesses bool       // RLIMIT_NPROC counts per user namespace: Linux 5.14 or later
}

// Kills reports whether an outer filter kills the process that makes the call.
func (m *Machine) Kills(nr uintptr) bool { return slices.Contains(m.Deadly, nr) }

// A Request is one launch.
type Request struct {
	Policy  policy.Policy
	View    *fsview.View
	Machine Machine
	Env     []string
	Filters
	Group  *cgroup.Group // the server's, or nil
	Lost   string        // why a stronger confinement was not reached; "" if none was tried
	Reaper []string      // with which arguments init executes fdImage
	// HostGrace is how long the server may outlive its host while the shim is stopped, or where there is none. 0: no
	// descriptor of the host is handed over, which is otherwise the last one.
	HostGrace time.Duration
	Stdio     [3]Standard // the files that the shim hands over as standard input, output and error
	TTY       bool        // standard input is a terminal without a session, which becomes the server's
}

// Filters are the seccomp programs, as struct sock_filter.
type Filters struct {
	Filter []byte
	Asking []byte // the variant that notifies a listener of dangerous calls; nil: there is none
	Pairs  bool   // with Asking the shim makes the server's sockets, which lead to hosts by name
}

// hostNet reports whether the server stays in the host's network namespace.
func (r *Request) hostNet() bool { return r.Policy.Level == policy.LevelNetwork }

// oneExec reports whether the server may execute no other program.
func (r *Request) oneExec() bool { return r.Policy.Subprocess.Allow == policy.No }

// umask is the policy's mask, or the launcher's.
func (r *Request) umask() int {
	if m, ok := r.Policy.Umask.Value(); ok {
		return m
	}
	return r.Machine.Umask
}

// cpuSeconds is the processor time that one process may use in all.
func (r *Request) cpuSeconds() (int64, bool) { return r.Policy.Limits.CPUSeconds(r.Machine.CPUs) }

// binds counts the trees of the host that are mounted.
func (r *Request) binds() int { return len(Sources(r.View)) }

// Sources are the paths of the trees of the host that are mounted, in the order in which a root launcher hands them
// over: those of the nodes, the folder of a state and, where a cover lies behind a closed folder of it, the host's
// root. The files below the covers behind closed folders come after them.
func Sources(v *fsview.View) (paths []string) {
	for _, list := range [...][]fsview.Node{v.Nodes, v.Private} {
		for i := range list {
			if list[i].Kind == fsview.Bind {
				paths = append(paths, list[i].Source)
			}
		}
	}
	if handsRoot(v) {
		paths = append(paths, "/")
	}
	return paths
}

// handsRoot reports whether a root launcher hands the host's root over.
func handsRoot(v *fsview.View) bool { return v.HostRoot && len(ClosedCovers(v)) > 0 }

// ClosedCovers are the covers behind closed folders, the innermost first: a pin above one copies the mounts below.
func ClosedCovers(v *fsview.View) (covers []*fsview.Cover) {
	for i := len(v.Covers) - 1; i >= 0; i-- {
		if v.Covers[i].Closed {
			covers = append(covers, &v.Covers[i])
		}
	}
	return covers
}
