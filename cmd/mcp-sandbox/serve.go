package main

import "github.com/security-mcp/mcp-sandbox/cmd/internal/cli"

const serveName = "serve"

// serveCommand is the row of serve in lists and completions. All its words go to the program of its own.
func serveCommand() cli.Command {
	return cli.Command{Name: serveName, Args: "[flags] [--] COMMAND [ARG...]",
		Short: "serve a server to a team over HTTP (mcp-sandbox-serve)",
		Setup: func(f *cli.Flags) cli.Run { serveFlags(f); return serve }}
}
