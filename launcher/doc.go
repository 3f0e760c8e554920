// Package launcher starts MCP servers confined, from a Go host.
//
//	func main() {
//		reexec.Init() // first: where a launch needs a shim, the launcher starts this very binary again
//		sb, err := launcher.Command(ctx, pol, launcher.Target{Path: "/usr/bin/server", Args: []string{"--stdio"}})
//		session, err := client.Connect(ctx, &mcp.CommandTransport{Command: sb.Cmd}, nil)
//		report, err := sb.Report(ctx) // the proved confinement
//		result, err := sb.Wait(ctx)   // how it ended
//	}
//
// [Sandbox].Cmd is a plain *exec.Cmd: an SDK or a pty that starts it needs to know nothing of sandboxes, and
// after Start the host has nothing more to do. A host that never asks for the report is no less confined. The server
// ends with the host, whatever happens to the host.
//
// Below, and in the comments of this package, the shim is the process that the Cmd starts, also where that is but the
// parent of the sandbox's process 1, and the launch is supervised in the host.
//
// Report and Wait tell the end of every launch. Where the server was not released it is an *[Error] of Report and Wait:
// a refusal, or with layer exec a launch that was cancelled, asked to end by a signal, or killed. After that Wait has a
// [Result]: also of a shim that was killed (the kernel ends its server), and after [Sandbox.Close], which may come at
// any time. The host's end is the end of its process: a child that it forked may keep every descriptor, and a stopped
// shim wakes.
//
// Where the host is process 1 or a subreaper, the processes of a shim that was killed become its children. The
// launcher reaps these children, each by its id, and no others: a host that waits for any child does no harm.
//
// Of the Cmd, Stdin, Stdout, Stderr, Cancel and WaitDelay are the host's to change; everything else is the
// launcher's, but for Setsid and Setctty of SysProcAttr, which a pty needs. Do not set Setpgid. Report and Wait never
// call Cmd.Wait: the host, or its SDK, does.
package launcher
