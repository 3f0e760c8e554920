// Package files answers whether a server may read, write or execute a path or connect to a socket, because of which
// entry of the policy, and which smallest change would allow the act.
//
//	a := files.Ask(launch, order.Question{Path: "/srv/data", Op: order.OpRead})
//
// The answer is that of the planner that launches use: package fsview follows the path and names the entry. A change is
// suggested only if the planner accepts the changed policy and the act is then allowed. Besides the planner's refusals
// the file's own permissions count, as the kernel checks them for the server's user. An answer is true of the moment:
// nothing is opened, and nothing is held.
package files
