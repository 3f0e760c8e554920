package rows

import "github.com/security-mcp/mcp-sandbox/init/order"

// side says which process makes a row's calls.
type side uint8

const (
	inInit   side = iota // process 1, before the server's process exists
	inServer             // the server's process, before execve
)

// A row is one step of the confinement.
type row interface {
	ops(b *build)   // lays out the calls that apply it and those that read it back
	check(c *check) // compares what came back, and adds facts
}

// noCalls is a row that only says what there is not, and noFacts one whose proof is another row's.
type (
	noCalls struct{}
	noFacts struct{}
)

func (noCalls) ops(*build)   {}
func (noFacts) check(*check) {}

type entry struct {
	layer order.Layer
	side  side
	where confinements // in which confinements
	row   row
}

// table is the only statement of the order.
func table() []entry {
	return []entry{
		{order.Descriptors, inInit, always, new(closeInherited)},       // first: a write end of its own would hide that the shim died
		{order.Descriptors, inInit, confined, new(keyring)},            // before the ids change: a keyring is its maker's
		{order.Descriptors, inInit, shared, new(subreaper)},            // before there is anybody who could leave an orphan
		{order.Namespaces, inInit, full, new(namespaces)},              // before the ids are mapped nothing may be created
		{order.Namespaces, inInit, shared, new(noNamespaces)},          //
		{order.Cgroup, inInit, always, new(openCgroup)},                // the host's tree is still there
		{order.Root, inInit, full, new(root)},                          // needs the host's tree and its /proc
		{order.Root, inInit, full, new(masks)},                         // on top of the grants
		{order.Root, inInit, full, new(pivot)},                         // from here on the host's tree is gone
		{order.Root, inInit, shared, new(noRoot)},                      //
		{order.Network, inInit, full, new(network)},                    // lo needs CAP_NET_ADMIN
		{order.Privileges, inInit, full, new(noUserNamespaces)},        // the limit is the own namespace's
		{order.Privileges, inInit, confined, new(noNewRights)},         // after it nothing but a mount may need a capability
		{order.Root, inInit, full, new(readOnlyProc)},                  // after the last write to it
		{order.Privileges, inInit, reduced | limitsAny, new(dropIDs)},  // the ids: after the bounding set, which takes CAP_SETPCAP
		{order.Descriptors, inInit, shared, new(workdir)},              // as the server's user, who may not be let in
		{order.Landlock, inInit, full | reduced, new(landlockRuleset)}, // made here, where every folder can be opened
		{order.Limits, inInit, full, new(processLimit)},                // the clone of the server is its proof
		{order.Descriptors, inInit, always, new(controllingTerminal)},  // late: a terminal whose session ends is lost to all
		{order.Descriptors, inServer, always, new(foreground)},         // a group of its own, while every signal is blocked
		{order.Descriptors, inServer, shared, new(setsid)},             // or it could join init's group
		{order.Descriptors, inServer, full, new(reopenNull)},           // in the new root, and before `only` closes the rest
		{order.Limits, inServer, full, new(thirdProcess)},
		{order.Cgroup, inServer, always, new(cgroup)},
		{order.Namespaces, inServer, full, new(cgroupNamespace)},          // in its group already; needs CAP_SYS_ADMIN
		{order.Privileges, inServer, confined, new(serverCapabilities)},   // the server's last capabilities
		{order.Seccomp, inServer, filtered, new(traceMe)},                 // without capabilities, and before the filter refuses ptrace
		{order.Landlock, inServer, full | reduced, new(landlockRestrict)}, // a landlocked process cannot mount
		{order.Landlock, inServer, limitsAny | unconfined, new(noLandlock)},
		{order.Descriptors, inServer, always, new(closeDescriptors)},               // after the last row that holds a descriptor
		{order.Descriptors, inServer, confined, new(stdio)},                        // what those three are
		{order.Limits, inServer, always, new(limits)},                              // the server's own; a small limit of open files must not hit the rows
		{order.Network, inServer, reduced | limitsFiltered, new(socketFamilies)},   // its other half is behind the filter
		{order.Network, inServer, limitsUnfiltered | unconfined, new(openNetwork)}, //
		{order.Privileges, inServer, unconfined, new(allPrivileges)},               //
		{order.Seccomp, inServer, limitsUnfiltered | unconfined, new(noFilter)},    //
		{order.Seccomp, inServer, filtered, new(seccomp)},                          // nothing after it but evidence, the wait and execve
	}
}
