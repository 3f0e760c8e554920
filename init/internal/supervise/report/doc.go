// Package report writes the lines of a launch, as JSON, to the descriptor that the user named and to the host.
//
//	out := report.Sink{Report: order.ReportFD, Host: -1}
//	err := out.First(order.NewEnforced(o, &policy, policy.Full)) // no server is released without it
//	out.Last(&exited)
//
// The caller knows the confinement that holds, and a server's end. A reader that does not read delays a launch no
// longer than [Sink.First] waits, and a running server not at all.
package report
