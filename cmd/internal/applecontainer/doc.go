// Package applecontainer runs a server in a Linux virtual machine of its own on macOS 26 and later, by the
// command line of Apple's "container" tool.
//
//	code := applecontainer.Run(applecontainer.Config{Order: o, Image: "docker.io/library/node:22", Say: say})
//
// The machine is started with a process that only waits, "container inspect" is asked what it has, and only if
// that is what the policy says does "container exec" run the server in it. Whatever happens, the machine is
// deleted at the end, by calls that no cancellation of the run reaches. Whether the tool is there and what it
// can do is found out by asking it, not by a version.
//
// The package is tested against goldens and a made-up tool, not on real hardware: the report claims confinement
// "limits", with the values read back as facts, and no more.
package applecontainer
