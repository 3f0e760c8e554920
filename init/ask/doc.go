// Package ask answers questions about a launch that is planned and never started: the paths that the server would see,
// the system calls that the launch would make, whether the server may do one act, and why not.
//
//	plan, err := ask.Plan(o)
//	answer, err := ask.Why(o, order.Question{Path: "/home/ann/.ssh", Op: order.OpRead})
//
// Programs for people import it, and hosts that ask; the shim does not.
package ask
