package main

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/reportpage"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
)

func reportCommand() command {
	return command{
		name: "report", args: "[--json] FILE", short: "read back the report of a launch",
		long: `Prints the report that run --report FILE wrote: what was proved before the server
ran, what was denied while it ran, and how it ended. The file may come from a
stranger. One that is no report is refused with 125.
`,
		tips: `  mcp-sandbox run --report report.jsonl -- ./server
  mcp-sandbox report report.jsonl
  mcp-sandbox report --json report.jsonl | jq .exited.cause
`,
		flags: jsonOptions, run: showReport,
	}
}

// showReport reads a report back.
func showReport(o *options, args []string) int {
	file, err := fileOf(args, true)
	if err != nil {
		return usageError("mcp-sandbox report", err.Error())
	}
	r, err := reportpage.File(file)
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
