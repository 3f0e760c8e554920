// Package runtimes knows with how little the runtimes of servers start. A limit below that is a server that hangs, or
// ends before it has said why.
//
//	r := runtimes.Of(head, "node") // head: how the program's file begins
//	for _, s := range r.Below(p.Limits, false) {
//		reexec.Say(s.Line("--memory"))
//	}
//
// It looks at names, at the beginning of a file and at numbers alone. The numbers are Linux's.
package runtimes
