package main

import (
	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/source"
)

func version(o *options, args []string) int {
	if len(args) > 0 {
		return usageError("mcp-sandbox version", "unexpected "+source.Quote(args[0]))
	}
	b := build.Read("mcp-sandbox")
	if o.json {
		return show(asJSON(b))
	}
	return show(b.String() + "\n")
}
