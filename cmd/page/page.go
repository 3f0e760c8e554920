// Package page prints tables for people: plain text about a hundred columns wide, in colour on a terminal alone.
//
//	p := page.Printer{W: os.Stdout, Colour: page.IsTerminal(os.Stdout)}
//	p.Width = page.TerminalWidth(os.Stdout)
//	p.Columns([][]page.Cell{{{Text: "memory"}, {Text: "2G", Style: page.Green}}})
//
// The last column is wrapped between words. A cell may hold what a stranger wrote: what a terminal would not print is
// escaped, and a long text is cut. With a Width no line is wider: a long word is divided. mcp-sandbox and the demo
// share this package.
package page

import (
	"io"
	"os"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Sizes, in characters.
const (
	Width   = 100  // of a line, where words are short
	widest  = 48   // of a column but the last; the rest of a line whose cell is wider comes below that cell
	Longest = 4096 // of a cell
)

// A Style is a parameter of the sequence Select Graphic Rendition, ECMA-48.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// A Cell is one text of a table.
type Cell struct {
	Text  string
	Style Style
}

// A Printer prints tables.
type Printer struct {
	W      io.Writer
	Colour bool
	// Width is how many columns a line has at most. 0 means that words are wrapped at the constant Width, and that a
	// long word stays whole.
	Width int
}

// narrowest is the least width that is kept to.
const narrowest = 20

// TerminalWidth is the columns of the terminal that w is, and 0 if w is none.
func TerminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		return platform.TerminalWidth(f.Fd())
	}
	return 0
}

// width is where words are wrapped.
func (p Printer) width() int {
	if p.Width <= 0 {
		return Width
	}
	return max(narrowest, min(p.Width, Width))
}

// widest is how wide a column is at most, but for the last.
func (p Printer) widest() int {
	if p.Width <= 0 {
		return widest
	}
	return min(widest, p.width()*2/5)
}

// IsTerminal reports whether w shows colours.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && platform.WantsColour(f)
}

// A Section is a table with a title.
type Section struct {
	Title string
	Lines [][]Cell
}

// Sections prints the sections that have lines, with an empty line between them.
func (p Printer) Sections(all []Section) {
	between := ""
	for _, s := range all {
		if len(s.Lines) == 0 {
			continue
		}
		io.WriteString(p.W, between+p.paint(Cell{text.Short(s.Title, Longest, text.Begin), Bold})+"\n")
		p.Columns(s.Lines)
		between = "\n"
	}
}

func (p Printer) paint(c Cell) string {
	if !p.Colour || c.Style == Plain || c.Text == "" {
		return c.Text
	}
	return "\x1b[" + string(c.Style) + "m" + c.Text + "\x1b[m"
}
