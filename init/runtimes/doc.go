// Package runtimes is one table of the needs of programs of Node, Python, Deno, Bun, Java, Go and .NET: the names of
// their interpreters, of the programs that start and fetch them, where version managers put installations, how an
// installation is known.
//
//	runtimes.Stored("/home/ann/.nvm/versions/node/v24/bin/node") // "/home/ann/.nvm/versions/node/v24"
//	runtimes.Interprets("python3.13")                            // true
//
// The package reads names; the file system only for a program that PATH has not. The table is laid out by the compiler
// and searched as it lies: a start pays for nothing that it does not ask.
package runtimes
