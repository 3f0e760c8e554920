// Package proctree finds, stops and kills the processes below one process, its descendants, by reading the
// kernel's table of processes. Where a pid namespace holds the processes of a sandbox the kernel kills them
// with process 1; without one this package does.
//
//	for _, p := range proctree.Descendants(init) { p.Signal(unix.SIGCONT) }
//	sweep := proctree.Sweep{Root: init}
//	killed := sweep.Kill()
//
// On Linux every orphan below a subreaper stays below it, so a [Sweep] finds all of them in one reading of the
// table. macOS has no subreapers: a [Tree] remembers the processes that earlier readings showed.
package proctree
