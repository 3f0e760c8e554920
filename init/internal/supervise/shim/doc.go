// Package shim is the shim: the process that confines one server, shows that it did, and stays with it to the end.
//
//	code := shim.Run(shim.Config{Order: o, Host: -1, Parent: -1, Say: say})
//
// Package launch makes the sandbox. Package shim changes the whole process: signal handlers, standard descriptors, the
// adoption of orphans. The shim writes the report and releases the server. Then a monitor waits for signals to pass on,
// the host's end, deadlines, and the server's end.
//
// init ends with the shim, and every process of the sandbox with init: by the kernel where there is a pid namespace,
// elsewhere by the sweeps of shim and init. Without Config.Reaper only confinement full can be reached.
//
// [Host] makes a launch that runs in the process of a Go host, by the same steps and the same monitor: what differs is
// behind the interface process. Nothing of the host is changed.
//
// The goroutine that calls Run must be the process's first, and locked to its thread: init's life hangs on that thread.
package shim
