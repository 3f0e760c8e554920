// The runtime would look at the cgroup's CPU files at start, and descriptors 3 and 4 would be its own.
//
//go:debug containermaxprocs=0

// Command mcp-sandbox starts MCP servers confined, for people, and shows what a policy means.
//
//	mcp-sandbox run --allow-read ./docs -- node server-filesystem/dist/index.js ./docs
//	mcp-sandbox plan -- node server.js
//	mcp-sandbox doctor
//	mcp-sandbox policy show --level network
//	mcp-sandbox version
//
// It is a host that embeds the library: run turns its flags into an order and becomes the shim by execve of
// itself. Standard output belongs to the server alone, and where no server runs to what was asked for. Every
// line on standard error starts with the program's name.
package main

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

func main() {
	reexec.Init()
	reexec.RefusePrivileged()
	os.Exit(dispatch(os.Args[1:]))
}
