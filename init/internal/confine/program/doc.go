// Package program has a launch as data: system calls in memory, and the small interpreter that makes them.
//
//	p := program.New(mem)
//	tree := p.Do(sys.OpenTree(sys.CWD, "/usr", flags))
//	p.Do(sys.MoveMount(tree.Result(), sys.CWD, "usr"))
//
// An [Op] is one call: its number, its arguments, the demanded result and, after the run, the actual result. Other Ops
// branch, load a word or negate one. The interpreter, called the runner, is a few hundred bytes of assembly without
// stack, globals or libc. The runner maps the program at [Base], so that addresses in arguments are valid, and makes
// one call after the other. Where a result does not meet the demand the runner branches to the Op's label, or exits
// with status [Broken].
//
// This package knows nothing of sandboxes. Results are compared with demands; the rows know the meaning of a result.
// The only bound of a program is its size: [Builder.Full] reports an overflow.
package program
