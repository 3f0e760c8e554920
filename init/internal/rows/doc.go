// Package rows is the confinement as a table: what is done to a server before it runs, in which order, and what
// proves it.
//
//	l := rows.NewLaunch(mem, &policy, policy.Full, false) // what comes before the namespaces: the runner can start
//	err := l.Complete(request)                           // the rest, while the kernel makes them
//	layers, refusal := l.Check(evidence)              // after it ran, before the server is released
//
// The order is stated once, in [table]. A row lays out the calls that apply it and the calls that read it back, and
// afterwards compares what came back with what was wanted. A row is proved by that or the launch is refused; a row
// that the machine cannot give says so in a fact. Nothing here makes a system call: a row only writes them down.
package rows
