// Package shim is the shim: the process that confines one server, shows that it did, and stays with it to the end.
//
//	code := shim.Run(shim.Config{Order: o, Host: -1, Parent: -1, Say: say})
//
// Package launch makes the sandbox. This package does what belongs to the whole process: it catches signals, checks and
// closes standard descriptors, becomes the parent of orphans. It writes the report and releases the server. Then a
// monitor waits: for signals to pass on, for the host to go away, for time to run out, for the server to end.
//
// init ends with the shim, and every process of the sandbox with init: by the kernel where there is a pid namespace,
// elsewhere because shim and init look for them. Without Config.Reaper only confinement full can be reached.
//
// The calling goroutine must be the process's first, and locked to its thread: init's life hangs on that thread.
package shim
