package main

import (
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/reportpage"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
)

func reportCommand() cli.Command {
	return cli.Command{
		Name: "report", Args: "[--json] FILE", Short: "read back the report of a launch",
		Long: `Prints the report that run --report FILE wrote: what was proved before the server
ran, what was denied while it ran, and how it ended. The file may come from a
stranger. One that is no report is refused with 125.
`,
		Tips: `  mcp-sandbox run --report report.jsonl -- ./server
  mcp-sandbox report report.jsonl
  mcp-sandbox report --json report.jsonl | jq .exited.cause
`,
		Setup: cli.WithJSON(showReport),
	}
}

// showReport reads a report back.
func showReport(_ *cli.Flags, json bool, args []string) int {
	file, err := cli.File(args, true)
	if err != nil {
		return cli.UsageError("report", err.Error())
	}
	r, err := reportpage.File(file)
	if err != nil {
		return cli.Fail(file + ": " + cli.Cause(err))
	}
	if json {
		return cli.ShowJSON(r)
	}
	var b strings.Builder
	r.Show(page.Printer{W: &b, Colour: page.IsTerminal(os.Stdout)})
	return cli.Show(b.String())
}
