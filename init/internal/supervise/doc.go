// Package supervise is the shim: it confines one server, shows that it did, and stays with it to the end.
//
//	code := supervise.Run(supervise.Config{Order: o, Host: -1, Parent: -1, Say: say})
//
// It plans for this machine, starts the runner with the program of package confine, compares the evidence, writes the
// report, releases the server, and then waits: for signals to pass on, for the host to go away, for time to run out, for
// the server to end. Where the machine refuses a step it begins again with the next weaker confinement that the policy allows.
//
// init ends with the shim, and every process of the sandbox with init: by the kernel where there is a pid namespace, elsewhere
// because shim and init look for them. Without Config.Reaper only confinement full can be reached.
//
// The calling goroutine must be the process's first, and locked to its thread: init's life hangs on that thread.
package supervise
