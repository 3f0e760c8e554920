package main

import (
	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

func versionCommand() command {
	return command{
		name: "version", args: "[--json]", short: "print which build this is",
		long: `Prints the version, the commit, the version of Go and the system: what a report of a
mistake should begin with. All of it comes from the program's own file.
`,
		tips:  "  mcp-sandbox version\n  mcp-sandbox version --json | jq -r .revision\n",
		flags: jsonOptions, run: version, blind: true,
	}
}

func version(o *options, args []string) int {
	if len(args) > 0 {
		return usageError("mcp-sandbox version", "unexpected "+text.Quote(args[0]))
	}
	b := build.Read("mcp-sandbox")
	if o.json {
		return show(asJSON(b))
	}
	return show(b.String() + "\n")
}
