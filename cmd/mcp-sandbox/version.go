package main

import (
	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
)

func versionCommand() cli.Command {
	return cli.Command{
		Name: "version", Args: "[--json]", Short: "print which build this is",
		Long: `Prints the version, the commit, the version of Go and the system: what a report of a
mistake should begin with. All of it comes from the program's own file.
`,
		Tips:  "  mcp-sandbox version\n  mcp-sandbox version --json | jq -r .revision\n",
		Setup: cli.WithJSON(version), Blind: true,
	}
}

func version(_ *cli.Flags, json bool, args []string) int {
	if err := cli.NoOperand(args); err != nil {
		return cli.UsageError("version", err.Error())
	}
	b := build.Read("mcp-sandbox")
	if json {
		return cli.ShowJSON(b)
	}
	return cli.Show(b.String() + "\n")
}
