package why

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// answerPage is an answer as people read it: the answer, below it what to type and what that opens.
func answerPage(a *order.Answer, to *os.File) string {
	var b strings.Builder
	p := page.Printer{W: &b, Colour: page.IsTerminal(to), Width: page.TerminalWidth(to)}
	style := page.Red
	switch a.Allowed {
	case order.ActAllowed:
		style = page.Green
	case order.ActDepends:
		style = page.Yellow
	}
	p.Line(page.Cell{Text: string(a.Allowed), Style: style}, ": "+a.Text)
	var lines [][]page.Cell
	flags := typedFlags(a.Flags)
	for i := 0; i < max(len(flags), len(a.Patch)); i++ {
		line := make([]page.Cell, 2)
		if i < len(flags) {
			line[0] = page.Cell{Text: flags[i], Style: page.Bold}
		}
		if i < len(a.Patch) {
			line[1] = page.Cell{Text: oneLine(a.Patch[i])}
		}
		lines = append(lines, line)
	}
	p.Columns(lines)
	lines = nil
	for _, text := range a.Opens {
		lines = append(lines, []page.Cell{{Text: "opens:", Style: page.Yellow}, {Text: text}})
	}
	p.Columns(lines)
	return b.String()
}

// typedFlags are flags as they are typed in a shell, each with its value.
func typedFlags(flags []string) (all []string) {
	for _, word := range flags {
		if strings.HasPrefix(word, "--") {
			all = append(all, word)
			continue
		}
		all[len(all)-1] += " " + typedValue(word)
	}
	return all
}

// typedValue is a word as notice.Shell has it. Of what a terminal would not print the shell makes the bytes again.
func typedValue(word string) string {
	if escaped := text.Printable(word); escaped != word {
		return "$'" + strings.ReplaceAll(escaped, "'", `\'`) + "'"
	}
	return text.Shell(word)
}

// oneLine is one operation of a patch.
func oneLine(p order.Patch) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(p) // strings, and what a policy has: nothing can fail
	return strings.TrimSpace(text.Lines(strings.TrimSpace(b.String())))
}
