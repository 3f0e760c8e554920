// Package runtimes is one table of what programs of Node, Python, Deno, Bun, Java, Go and .NET need to run: the names
// of their interpreters, of what starts and fetches them, where version managers put installations, how an installation
// is known, and with how little of each limit a runtime starts.
//
//	runtimes.Stored("/home/ann/.nvm/versions/node/v24/bin/node") // "/home/ann/.nvm/versions/node/v24"
//	runtimes.Interprets("python3.13")                            // true
//	r := runtimes.Of(head, "node")                               // head: how the program's file begins
//	for _, s := range r.Below(&p.Limits, false) {
//		reexec.Say(s.Line("--memory"))
//	}
//
// The package reads names, the beginning of a file, and numbers; the file system only for a program that PATH has not.
// The table is laid out by the compiler and searched as it lies: a start pays for nothing that it does not ask. The
// numbers are Linux's.
package runtimes
