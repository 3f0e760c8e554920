// Package confine is the confinement as a table: the calls that apply each step, in their order, and the proof of each.
//
//	l := confine.NewLaunch(mem, &policy, policy.Full, false) // the part before the namespaces: the runner can start
//	err := l.Complete(request)                            // the rest, while the kernel makes the namespaces
//	layers, refusal := l.Check(evidence)                  // when the server's process is ready, before its release
//
// [table] is the only statement of the order. A row lays out the calls that apply it and the calls that read it back.
// Afterwards it compares their results with the request. A row is proved by that, or the launch is refused; what the
// machine cannot give is a fact without a value. A row makes no call: it only writes calls into a program.
//
// A file is named for the layer of its rows. Launch, frame and initloop are the calls around the rows, proof and
// outcome read the results, and repair mounts lost covers again.
package confine
