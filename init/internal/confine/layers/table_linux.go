package layers

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A row is one step of the confinement. layout writes the calls that apply the step and read the result back;
// prove compares them.
type row interface{ layout(b *build) }

// A stateless row needs nothing of another row, and leaves nothing for one.
type stateless func(*build)

func (r stateless) layout(b *build) { r(b) }

type entry struct {
	layer order.Layer
	where confinements
	row   row
}

// confinements is a set of confinements: those that have a row of the table.
type confinements uint8

const (
	full             confinements = 1 << iota // namespaces and a root of the server's own
	reduced                                   // Landlock and the filter
	limitsFiltered                            // limits: no file barrier
	limitsUnfiltered                          // limits, where the kernel has no seccomp
	unconfined                                // none

	limitsAny = limitsFiltered | limitsUnfiltered
	shared    = reduced | limitsAny | unconfined // the host's namespaces, with the host's processes in reach
	confined  = full | reduced | limitsAny
	filtered  = full | reduced | limitsFiltered
	always    = full | shared
)

// setOf is the set of one confinement.
func setOf(c policy.Confinement, noFilter bool) confinements {
	if noFilter && c == policy.ConfinementLimits {
		return limitsUnfiltered
	}
	switch c {
	case policy.Full:
		return full
	case policy.Reduced:
		return reduced
	case policy.ConfinementLimits:
		return limitsFiltered
	case policy.None:
		return unconfined
	}
	return 0
}

// state has the values that rows pass to others. The table hands each row the parts that it fills or needs.
type state struct {
	cgroup   program.Addr  // openCgroup -> the frame's clone of the server: struct clone_args; 0: no group
	host     hostLooks     // root -> pivot: looks at the host's tree
	masks    maskTrees     // root -> masks: trees that hide denied paths
	proc     procMount     // root -> readOnlyProc, pivot and the rows that read /proc back
	rules    landlockState // landlockRuleset -> landlockRestrict
	trace    execTrace     // traceMe, seccomp and the frame's half in init prove it together
	families []family      // socketFamilies tries them before the filter, seccomp behind it
	pairs    pairProof     // seccomp asks for sockets behind the filter, socketFamilies proves them
	egress   egressState   // network -> egressRoutes -> egressSockets -> egressAnswers
	initCaps capabilities  // the frame, once the server's process exists -> serverCapabilities
}

// firstRows, initRows and serverRows are the table, the only statement of the order: the rows of process 1, before the
// server's process exists, and then those of the server's process, before execve. A comment says why a row stands where
// it stands.
//
// The first rows ask nothing of the server's view of the file system, nor of its control group: an init with the ids of
// its launcher makes their calls while the shim still plans.
func firstRows(s *state) []entry {
	return []entry{
		// first: a write end of init's own would hide that the shim died
		{order.Descriptors, always, stateless(closeInherited)},
		// before the ids change: a keyring is its maker's
		{order.Descriptors, confined, stateless(keyring)},
		// before there is a process that could leave an orphan
		{order.Descriptors, shared, stateless(subreaper)},
		// before the ids are mapped nothing can be created
		{order.Namespaces, full, stateless(namespaces)},
		{order.Namespaces, reduced, stateless(noNamespaces)},
		{order.Namespaces, limitsAny, absent{effect: hostProcesses}},
		// lo needs CAP_NET_ADMIN
		{order.Network, full, network{state: &s.egress}},
		// addresses and routes need CAP_NET_ADMIN
		{order.Network, full, egressRoutes{state: &s.egress}},
		// ports below 1024 need CAP_NET_BIND_SERVICE, raw sockets CAP_NET_RAW
		{order.Network, full, egressSockets{state: &s.egress}},
		// while init has the right to look at a socket's network namespace
		{order.Network, full, stateless(publishSockets)},
	}
}

// initRows are the rows of init behind those.
func initRows(s *state) []entry {
	return []entry{
		// while the host's tree is there
		{order.Cgroup, always, openCgroup{args: &s.cgroup}},
		// needs the host's tree and the host's /proc
		{order.Root, full, root{host: &s.host, masks: &s.masks, proc: &s.proc}},
		// on top of the grants
		{order.Root, full, masks{trees: &s.masks}},
		// from here on the host's tree is gone
		{order.Root, full, pivot{host: &s.host, proc: &s.proc}},
		{order.Root, reduced, stateless(noRoot)},
		{order.Root, limitsAny, absent{effect: hostFiles}},
		// the limits are those of the new user namespace
		{order.Privileges, full, stateless(noUserNamespaces)},
		{order.Privileges, full, stateless(fewWatchers)},
		// no row behind this one gets a capability, and only mounts still use one
		{order.Privileges, full, noNewRights{ownUserNS: true}},
		{order.Privileges, reduced | limitsAny, noNewRights{}},
		// after the last write to /proc
		{order.Root, full, readOnlyProc{proc: &s.proc}},
		// after the bounding set, which takes CAP_SETPCAP
		{order.Privileges, reduced | limitsAny, stateless(dropIDs)},
		// as the server's user, which may have no right to enter the folder
		{order.Descriptors, shared, stateless(workdir)},
		// late: the shim takes the sockets and answers meanwhile
		{order.Network, full, egressAnswers{state: &s.egress}},
		// in init, where every folder can be opened
		{order.Landlock, full, landlockRuleset{state: &s.rules, rules: landlockRules, least: renameABI}},
		{order.Landlock, reduced, landlockRuleset{state: &s.rules, rules: landlockRulesShared}},
		// the clone of the server is its proof
		{order.Limits, full, stateless(processLimit)},
		// late: a terminal hangs up when its session leader ends
		{order.Descriptors, always, stateless(controllingTerminal)},
	}
}

func serverRows(s *state) []entry {
	return []entry{
		// while every signal is blocked: SIGTTOU would stop the process
		{order.Descriptors, always, stateless(foreground)},
		// without a pid namespace the server could join init's group
		{order.Descriptors, shared, stateless(setsid)},
		// in the new root, and before closeDescriptors
		{order.Descriptors, full, stateless(reopenNull)},
		{order.Limits, full, stateless(thirdProcess)},
		{order.Cgroup, always, cgroupLimits{proc: &s.proc}},
		// in the server's group already; needs CAP_SYS_ADMIN
		{order.Namespaces, full, cgroupNamespace{proc: &s.proc}},
		// the server's last capabilities
		{order.Privileges, full, serverCapabilities{init: &s.initCaps, drop: true}},
		{order.Privileges, reduced | limitsAny, serverCapabilities{init: &s.initCaps}},
		// without capabilities, and before the filter refuses ptrace
		{order.Seccomp, filtered, traceMe{trace: &s.trace}},
		// after the last mount: a landlocked process cannot mount
		{order.Landlock, full, landlockRestrict{state: &s.rules, lacks: lacksScopes}},
		{order.Landlock, reduced, landlockRestrict{state: &s.rules, lacks: lacksBarrier}},
		{order.Landlock, limitsAny, absent{effect: noBarrier}},
		// as Landlock leaves them, and before the filter, which may refuse the calls
		{order.Root, full, stateless(allowedSockets)},
		// after the last row that holds a descriptor
		{order.Descriptors, always, closeDescriptors{proc: &s.proc}},
		// the root row has cleared the mask
		{order.Descriptors, full, umask{cleared: true}},
		{order.Descriptors, shared, umask{}},
		// the descriptors that closeDescriptors left
		{order.Descriptors, confined, stateless(stdio)},
		// late: a small RLIMIT_NOFILE would break the rows above
		{order.Limits, always, stateless(limits)},
		// before the filter; seccomp tries the same families behind it
		{order.Network, reduced | limitsFiltered, socketFamilies{tried: &s.families, pairs: &s.pairs}},
		{order.Network, limitsUnfiltered, stateless(openNetwork)},
		{order.Seccomp, limitsUnfiltered, stateless(noFilter)},
		// last: behind the filter come only evidence, the wait for the release and execve
		{order.Seccomp, full, seccomp{families: &s.families, pairs: &s.pairs, trace: &s.trace}},
		{order.Seccomp, reduced, seccomp{&s.families, &s.pairs, &s.trace, fallbackOf(policy.Reduced)}},
		{order.Seccomp, limitsFiltered, seccomp{&s.families, &s.pairs, &s.trace, fallbackOf(policy.ConfinementLimits)}},
	}
}
