// Package report writes what a launch tells: lines of JSON, to the descriptor that the user named and to the host.
//
//	out := report.Sink{Report: order.ReportFD, Host: -1}
//	err := out.First(order.NewEnforced(o, &policy, policy.Full)) // no server is released without it
//	out.Last(&exited)
//
// It finds nothing out: what holds and how a server ended is its caller's. A reader that does not read costs a
// launch no more than [Sink.First] waits, and a server that runs nothing.
package report
