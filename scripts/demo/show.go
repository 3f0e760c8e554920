package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// show prints the table and what was proved, in colour where w is a terminal.
func show(w io.Writer, rows []row, r *launcher.Report) {
	p := printer{w, isTerminal(w)}
	fmt.Fprintf(w, "\nOne MCP server, started twice by the same Go host: plainly, and confined by launcher.Command.\n"+
		"The policy grants it one folder, ~/project, for writing. Home, key and listener are made up for this.\n\n")
	lines := [][]cell{{{"the server tried to", bold}, {"plainly", bold}, {"confined", bold}, {"stopped by", bold}}}
	for _, r := range rows {
		style := green
		if r.wrong != nil {
			style = red
		}
		lines = append(lines, []cell{{r.what, ""}, {r.unconfined, ""}, {r.confined, style}, {r.layer, ""}})
	}
	p.columns(lines)

	fmt.Fprintf(w, "\nconfinement %s, level %s. Proved is what was read back from the kernel, "+
		"or tried and found refused,\nbefore the server ran:\n\n", r.Confinement, r.Level)
	lines = nil
	for _, l := range r.Layers {
		var missing []string
		for _, f := range l.Facts {
			if f.Got == "" {
				missing = append(missing, f.Name+": "+f.Reason)
			}
		}
		style, what := green, fmt.Sprintf("%d facts", len(l.Facts)-len(missing))
		if l.State != order.Proved {
			style, what = yellow, l.Reason
		}
		lines = append(lines, []cell{{string(l.Layer), ""}, {string(l.State), style}, {what, ""}})
		for _, m := range missing {
			lines = append(lines, []cell{{}, {}, {"without " + m, yellow}})
		}
		if l.Effect != "" {
			lines = append(lines, []cell{{}, {}, {l.Effect, ""}})
		}
	}
	p.columns(lines)
	fmt.Fprintln(w)
}

// Styles are parameters of the sequence Select Graphic Rendition, ECMA-48. All have two digits.
const (
	bold    = "01"
	red     = "31"
	green   = "32"
	yellow  = "33"
	neutral = "39"
)

type cell struct{ text, style string }

type printer struct {
	w      io.Writer
	colour bool
}

// columns aligns cells. A tabwriter counts the colours, so each cell has one, and all are of the same length.
func (p printer) columns(lines [][]cell) {
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		for i, c := range line {
			text, end := c.text, "\t"
			if p.colour {
				text = "\x1b[" + cmp.Or(c.style, neutral) + "m" + text + "\x1b[m"
			}
			if i == len(line)-1 {
				end = "\n"
			}
			if i == 0 {
				text = "  " + text
			}
			fmt.Fprint(t, text+end)
		}
	}
	t.Flush()
}

// isTerminal reports whether w shows colours.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && platform.WantsColour(f)
}
