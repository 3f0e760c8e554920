// Package page prints tables for people: plain text about a hundred columns wide, in colour on a terminal alone.
//
//	p := page.Printer{W: os.Stdout, Colour: page.IsTerminal(os.Stdout)}
//	p.Columns([][]page.Cell{{{Text: "memory"}, {Text: "2G", Style: page.Green}}})
//
// The last column is wrapped between words. A cell may hold what a stranger wrote: what a terminal would not print is
// escaped, and a long text is cut. mcp-sandbox and the demo share this package.
package page

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// Sizes, in characters.
const (
	Width   = 100  // of a line, where words are short
	widest  = 48   // of a column but the last; the rest of a line whose cell is wider comes below that cell
	longest = 4096 // of a cell
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
		io.WriteString(p.W, between+p.paint(Cell{printable(s.Title), Bold})+"\n")
		p.Columns(s.Lines)
		between = "\n"
	}
}

// Columns prints lines of cells, each column as wide as its cells, and two spaces in front of each line.
func (p Printer) Columns(lines [][]Cell) {
	widths := columnWidths(lines)
	var b strings.Builder
	for _, line := range lines {
		p.line(&b, line, widths)
	}
	io.WriteString(p.W, b.String())
}

// columnWidths are those of all columns, but for cells that are wider than a column may be.
func columnWidths(lines [][]Cell) (widths []int) {
	for _, line := range lines {
		for i := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if n := utf8.RuneCountInString(printable(line[i].Text)); n <= widest && i < len(line)-1 {
				widths[i] = max(widths[i], n)
			}
		}
	}
	return widths
}

// line prints one line of a table.
func (p Printer) line(b *strings.Builder, line []Cell, widths []int) {
	const indent = "  "
	b.WriteString(indent)
	at := len(indent)
	for len(line) > 1 && line[len(line)-1].Text == "" {
		line = line[:len(line)-1]
	}
	for i, c := range line {
		c.Text = printable(c.Text)
		if i == len(line)-1 {
			p.wrapped(b, c, at)
			break
		}
		b.WriteString(p.paint(c))
		n := utf8.RuneCountInString(c.Text)
		at += widths[i] + len(indent)
		if n > widths[i] {
			b.WriteString("\n" + strings.Repeat(" ", at))
			continue
		}
		b.WriteString(strings.Repeat(" ", widths[i]-n+len(indent)))
	}
	b.WriteString("\n")
}

// wrapped prints the last cell of a line, which begins at a column.
func (p Printer) wrapped(b *strings.Builder, c Cell, at int) {
	for i, part := range wrap(c.Text, Width-at) {
		if i > 0 {
			b.WriteString("\n" + strings.Repeat(" ", at))
		}
		b.WriteString(p.paint(Cell{part, c.Style}))
	}
}

// wrap divides a text between words into parts of a width; a word that is longer stays whole.
func wrap(text string, width int) (parts []string) {
	part, n := "", 0
	for word := range strings.SplitSeq(text, " ") {
		length := utf8.RuneCountInString(word)
		if part != "" && n+1+length > width {
			parts, part, n = append(parts, part), "", 0
		}
		if part != "" {
			part, n = part+" ", n+1
		}
		part, n = part+word, n+length
	}
	return append(parts, part)
}

func (p Printer) paint(c Cell) string {
	if !p.Colour || c.Style == Plain || c.Text == "" {
		return c.Text
	}
	return "\x1b[" + string(c.Style) + "m" + c.Text + "\x1b[m"
}

// printable is a cell's text as any terminal may be given it.
func printable(text string) string {
	text = strictjson.Printable(text)
	if utf8.RuneCountInString(text) <= longest {
		return text
	}
	return string([]rune(text)[:longest]) + "…"
}
