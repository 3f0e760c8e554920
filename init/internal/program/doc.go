// Package program has a launch as data: system calls in memory, and the small interpreter that makes them.
//
//	p := program.New(mem)
//	tree := p.Do(sys.OpenTree(sys.CWD, "/usr", flags))
//	p.Do(sys.MoveMount(tree.Result(), sys.CWD, "usr"))
//
// An [Op] is one call: its number, its arguments, the result that it demands and, once it ran, the result that it got.
// Other Ops branch, load a word or negate one. The interpreter, called the runner, is a few hundred bytes of assembly
// without stack, globals or libc. It maps the program at [Base], so that addresses in arguments are valid, and makes
// one call after the other. Where a result does not meet the demand the runner branches to the Op's label, or exits
// with status [Broken].
//
// This package knows nothing of sandboxes. It compares results with demands; what they prove is for the rows. The only
// bound of a program is its size: [Program.Full] reports whether it was exceeded.
package program
