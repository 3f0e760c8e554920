// The runtime would look at the cgroup's CPU files at start, and descriptors 3 and 4 would be its own.
//
//go:debug containermaxprocs=0

// Command mcp-sandbox-serve serves one stdio MCP server over HTTP, in a sandbox for each client.
//
//	mcp-sandbox-serve --allow-read ~/notes -- node server.js
//	mcp-sandbox-serve --listen :8443 --tls-cert c.pem --tls-key k.pem --token-file tokens -- ./server
//	mcp-sandbox-serve token ann >>tokens
//
// It is a host that embeds the library, so each of its sandboxes is what mcp-sandbox run starts. Standard error has its
// log. Exit status 0 after SIGTERM or SIGINT and drain, 128+N at a second signal, 125 if it refuses to start, 126 or
// 127 if COMMAND cannot be executed or is not found.
package main

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

func main() {
	reexec.Init()
	reexec.RefusePrivileged()
	os.Exit(run(os.Args[1:], session.Usual()))
}

func run(args []string, limits session.Limits) int {
	switch {
	case len(args) == 1 && args[0] == "--version":
		return cli.Show(build.Read("mcp-sandbox-serve").String() + "\n")
	case len(args) > 0 && args[0] == "token":
		return token(args[1:])
	}
	c := command(limits)
	return c.Start(args)
}

// token prints the line for a file of tokens, and the token where no file takes it.
func token(args []string) int {
	if len(args) != 1 || !principal.Valid(args[0]) {
		return cli.UsageError("serve", "token takes one PRINCIPAL of 1 to 255 bytes, as in mcp-sandbox-serve token ann")
	}
	token, line := principal.NewToken(args[0])
	os.Stderr.WriteString(token + "\n")
	return cli.Show(line)
}
