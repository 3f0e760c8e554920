package confine

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// side is the process that makes a row's calls.
type side uint8

const (
	inInit   side = iota // process 1, before the server's process exists
	inServer             // the server's process, before execve
)

// A row is one step of the confinement.
type row interface {
	ops(b *build)   // lays out the calls that apply the row and those that read it back
	check(c *check) // compares what the calls returned and stored, and adds facts
}

// noCalls is a row that only says what the confinement lacks. noFacts is a row that another row proves.
type (
	noCalls struct{}
	noFacts struct{}
)

func (noCalls) ops(*build)   {}
func (noFacts) check(*check) {}

type entry struct {
	layer order.Layer
	side  side
	where confinements
	row   row
}

// state is what a row leaves behind for others. The table hands each row the parts that it fills or needs.
type state struct {
	cgroup   program.Addr  // openCgroup -> the frame's clone of the server: struct clone_args; 0: no group
	host     hostLooks     // root -> pivot: what was seen in the host's tree
	masks    maskTrees     // root -> masks: trees that hide denied paths
	proc     procMount     // root -> readOnlyProc, pivot and whoever reads /proc back
	rules    landlockState // landlockRuleset -> landlockRestrict
	trace    execTrace     // traceMe, seccomp and the frame's half in init prove it together
	families []family      // socketFamilies tries them before the filter, seccomp behind it
	initCaps capabilities  // the frame, once the server's process exists -> serverCapabilities
}

// table is the only statement of the order: the rows of init, and then those of the server's process. A comment says
// why a row stands where it stands.
func table(s *state) []entry { return append(initRows(s), serverRows(s)...) }

func initRows(s *state) []entry {
	return []entry{
		// first: a write end of init's own would hide that the shim died
		{order.Descriptors, inInit, always, &closeInherited{}},
		// before the ids change: a keyring is its maker's
		{order.Descriptors, inInit, confined, &keyring{}},
		// before there is a process that could leave an orphan
		{order.Descriptors, inInit, shared, &subreaper{}},
		// before the ids are mapped nothing can be created
		{order.Namespaces, inInit, full, &namespaces{}},
		{order.Namespaces, inInit, reduced, &noNamespaces{}},
		{order.Namespaces, inInit, limitsAny, &absent{effect: hostProcesses}},
		// while the host's tree is there
		{order.Cgroup, inInit, always, &openCgroup{args: &s.cgroup}},
		// needs the host's tree and the host's /proc
		{order.Root, inInit, full, &root{host: &s.host, masks: &s.masks, proc: &s.proc}},
		// on top of the grants
		{order.Root, inInit, full, &masks{trees: &s.masks}},
		// from here on the host's tree is gone
		{order.Root, inInit, full, &pivot{host: &s.host, proc: &s.proc}},
		{order.Root, inInit, reduced, &noRoot{}},
		{order.Root, inInit, limitsAny, &absent{effect: hostFiles}},
		// lo needs CAP_NET_ADMIN
		{order.Network, inInit, full, &network{}},
		// the limit is that of the new user namespace
		{order.Privileges, inInit, full, &noUserNamespaces{}},
		// no row behind this one gets a capability, and only mounts still use one
		{order.Privileges, inInit, full, &noNewRights{ownUserNS: true}},
		{order.Privileges, inInit, reduced | limitsAny, &noNewRights{}},
		// after the last write to /proc
		{order.Root, inInit, full, &readOnlyProc{proc: &s.proc}},
		// after the bounding set, which takes CAP_SETPCAP
		{order.Privileges, inInit, reduced | limitsAny, &dropIDs{}},
		// as the server's user, who may have no right to enter the folder
		{order.Descriptors, inInit, shared, &workdir{}},
		// in init, where every folder can be opened
		{order.Landlock, inInit, full, &landlockRuleset{state: &s.rules, rules: landlockRules, least: renameABI}},
		{order.Landlock, inInit, reduced, &landlockRuleset{state: &s.rules, rules: landlockRulesShared}},
		// the clone of the server is its proof
		{order.Limits, inInit, full, &processLimit{}},
		// late: a terminal whose session leader ends hangs up
		{order.Descriptors, inInit, always, &controllingTerminal{}},
	}
}

func serverRows(s *state) []entry {
	return []entry{
		// while every signal is blocked: SIGTTOU would stop the process
		{order.Descriptors, inServer, always, &foreground{}},
		// without a pid namespace the server could join init's group
		{order.Descriptors, inServer, shared, &setsid{}},
		// in the new root, and before closeDescriptors
		{order.Descriptors, inServer, full, &reopenNull{}},
		{order.Limits, inServer, full, &thirdProcess{}},
		{order.Cgroup, inServer, always, &cgroup{proc: &s.proc}},
		// in the server's group already; needs CAP_SYS_ADMIN
		{order.Namespaces, inServer, full, &cgroupNamespace{proc: &s.proc}},
		// the server's last capabilities
		{order.Privileges, inServer, full, &serverCapabilities{init: &s.initCaps, drop: true}},
		{order.Privileges, inServer, reduced | limitsAny, &serverCapabilities{init: &s.initCaps}},
		// without capabilities, and before the filter refuses ptrace
		{order.Seccomp, inServer, filtered, &traceMe{trace: &s.trace}},
		// after the last mount: a landlocked process cannot mount
		{order.Landlock, inServer, full, &landlockRestrict{state: &s.rules, lacks: (*check).lacksScopes}},
		{order.Landlock, inServer, reduced, &landlockRestrict{state: &s.rules, lacks: (*check).lacksBarrier}},
		{order.Landlock, inServer, limitsAny, &absent{effect: noBarrier}},
		// after the last row that holds a descriptor
		{order.Descriptors, inServer, always, &closeDescriptors{proc: &s.proc}},
		// the root row has cleared the mask
		{order.Descriptors, inServer, full, &umask{cleared: true}},
		{order.Descriptors, inServer, shared, &umask{}},
		// what closeDescriptors left
		{order.Descriptors, inServer, confined, &stdio{}},
		// late: a small RLIMIT_NOFILE would break the rows above
		{order.Limits, inServer, always, &limits{}},
		// before the filter; seccomp tries the same families behind it
		{order.Network, inServer, reduced | limitsFiltered, &socketFamilies{tried: &s.families}},
		{order.Network, inServer, limitsUnfiltered, &openNetwork{}},
		{order.Seccomp, inServer, limitsUnfiltered, &noFilter{}},
		// last: behind the filter come only evidence, the wait for the release and execve
		{order.Seccomp, inServer, filtered, &seccomp{families: &s.families, trace: &s.trace}},
	}
}
