// Package program turns a launch into data: system calls laid out in memory, and the small interpreter that makes them.
//
//	p := program.New(mem)
//	tree := p.Do(sys.OpenTree(sys.CWD, "/usr", flags))
//	p.Do(sys.MoveMount(tree.Result(), sys.CWD, "usr"))
//
// An [Op] is one call: its number, its arguments, the result that it demands and, after it ran, the result that it got.
// Besides calls there are Ops that branch, load a word and negate one.
// The interpreter, called the runner, is a few hundred bytes of assembly without stack, globals or libc. It maps the
// program at [Base], so that a pointer in an argument is right as it stands, and makes one call after the other. Where
// a result is not the demanded one it goes on at the Op's label, or ends the process with [Broken].
//
// Nothing here knows what a sandbox is, and nothing here checks more than results: what they prove is for the rows.
// Programs have no bounds but their size: [Program.Full] tells whether one outgrew it.
package program
