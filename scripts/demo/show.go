package main

import (
	"fmt"
	"io"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/launcher"
)

// show prints the table and what was proved, in colour where w is a terminal.
func show(w io.Writer, rows []row, r *launcher.Report) {
	p := page.Printer{W: w, Colour: page.IsTerminal(w)}
	fmt.Fprintf(w, "\nOne MCP server, started twice by the same Go host: plainly, and confined by launcher.Command.\n"+
		"The policy grants it one folder, ~/project, for writing. Home, key and listener are made up for this.\n\n")
	lines := [][]page.Cell{{{Text: "the server tried to", Style: page.Bold}, {Text: "plainly", Style: page.Bold},
		{Text: "confined", Style: page.Bold}, {Text: "stopped by", Style: page.Bold}}}
	for _, r := range rows {
		style := page.Green
		if r.wrong != nil {
			style = page.Red
		}
		lines = append(lines, []page.Cell{{Text: r.what}, {Text: r.unconfined}, {Text: r.confined, Style: style},
			{Text: r.layer}})
	}
	p.Columns(lines)

	fmt.Fprintf(w, "\nconfinement %s, level %s. Proved is what was read back from the kernel, "+
		"or tried and found refused,\nbefore the server ran:\n\n", r.Confinement, r.Level)
	p.Columns(page.Layers(r.Layers))
	fmt.Fprintln(w)
}
