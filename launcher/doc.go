// Package launcher starts MCP servers confined, from a Go host.
//
//	func main() {
//		reexec.Init() // first: the launcher starts this very binary again, as the shim
//		sb, err := launcher.Command(ctx, pol, launcher.Target{Path: "/usr/bin/server", Args: []string{"--stdio"}})
//		session, err := client.Connect(ctx, &mcp.CommandTransport{Command: sb.Cmd}, nil)
//		report, err := sb.Report(ctx) // what was proved
//		result, err := sb.Wait(ctx)   // how it ended
//	}
//
// [Sandbox].Cmd is a plain *exec.Cmd: whoever starts it, an SDK or a pty, needs to know nothing of sandboxes, and after
// Start the host has nothing more to do. A host that never asks for the report is no less confined. The server ends with
// the host, whatever happens to the host.
//
// Of the Cmd, Stdin, Stdout, Stderr, Cancel and WaitDelay are the host's to change; everything else is the launcher's,
// but for Setsid and Setctty of SysProcAttr, which a pty needs. Do not set Setpgid. Report and Wait never call Cmd.Wait:
// the host, or its SDK, does.
package launcher
