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

type entry struct {
	layer order.Layer
	side  side
	row   row
}

// table is the only statement of the order.
func table() []entry {
	return []entry{
		{order.Descriptors, inInit, new(inherited)},    // first: a write end of its own would hide that the shim died
		{order.Namespaces, inInit, new(namespaces)},    // before the ids are mapped nothing may be created
		{order.Root, inInit, new(root)},                // needs the host's tree and its /proc
		{order.Root, inInit, new(covers)},              // on top of the grants
		{order.Root, inInit, new(pivot)},               // from here on the host's tree is gone
		{order.Network, inInit, new(network)},          // lo needs CAP_NET_ADMIN
		{order.Privileges, inInit, new(privileges)},    // last in init: nothing after it may need a capability
		{order.Landlock, inInit, new(ruleset)},         // made here, where every folder can be opened
		{order.Limits, inInit, new(limitProcesses)},    // the clone of the server is its proof
		{order.Descriptors, inServer, new(foreground)}, // a group of its own, while every signal is blocked
		{order.Limits, inServer, new(trial)},
		{order.Cgroup, inServer, new(cgroup)},
		{order.Namespaces, inServer, new(cgroupNamespace)}, // in its group already; needs CAP_SYS_ADMIN
		{order.Privileges, inServer, new(permitted)},       // the server's last capabilities
		{order.Seccomp, inServer, new(traced)},             // without capabilities, and before the filter refuses ptrace
		{order.Landlock, inServer, new(restrict)},          // a landlocked process cannot mount
		{order.Descriptors, inServer, new(only)},           // after the last row that holds a descriptor
		{order.Limits, inServer, new(limits)},              // the server's own; a small limit of open files must not hit the rows
		{order.Seccomp, inServer, new(seccomp)},            // nothing after it but evidence, the wait and execve
	}
}
