package main

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/readback"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
)

// showReport reads a report back.
func showReport(o *options, args []string) int {
	file, err := fileOf(args, true)
	if err != nil {
		return usageError("mcp-sandbox report", err.Error())
	}
	r, err := readback.File(file)
	if err != nil {
		return fail(file + ": " + cause(err))
	}
	if o.json {
		return show(asJSON(r))
	}
	var b strings.Builder
	r.Show(page.Printer{W: &b, Colour: page.IsTerminal(os.Stdout)})
	return show(b.String())
}
