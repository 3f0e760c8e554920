package page

import (
	"io"
	"strings"
	"unicode"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// indent begins each line of a table.
const indent = "  "

// Columns prints lines of cells, each column as wide as its cells, and two spaces in front of each line.
func (p Printer) Columns(lines [][]Cell) {
	widths := p.columnWidths(lines)
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(p.line(line, widths))
	}
	io.WriteString(p.W, b.String())
}

// columnWidths are those of all columns, but for cells that are wider than a column may be.
func (p Printer) columnWidths(lines [][]Cell) (widths []int) {
	for _, line := range lines {
		for i := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if n := TextWidth(text.Short(line[i].Text, Longest, text.Begin)); n <= p.widest() && i < len(line)-1 {
				widths[i] = max(widths[i], n)
			}
		}
	}
	return widths
}

// line is one line of a table.
func (p Printer) line(line []Cell, widths []int) string {
	b := indent
	at := len(indent)
	for len(line) > 1 && line[len(line)-1].Text == "" {
		line = line[:len(line)-1]
	}
	for i, c := range line {
		c.Text = text.Short(c.Text, Longest, text.Begin)
		if i == len(line)-1 {
			b += p.wrapped(c, at)
			break
		}
		n := TextWidth(c.Text)
		if p.Width > 0 && at+n > p.width() {
			b += p.wrapped(c, at)
		} else {
			b += p.paint(c)
		}
		at += widths[i] + len(indent)
		if next := p.beside(at); n > widths[i] || next != at {
			at = next
			b += "\n" + strings.Repeat(" ", at)
			continue
		}
		b += strings.Repeat(" ", widths[i]-n+len(indent))
	}
	return b + "\n"
}

// beside is the column of a cell that begins a line of its own: of a narrow terminal one further to the left.
func (p Printer) beside(at int) int {
	const least = 24 // columns for a sentence
	if p.Width > 0 && p.width()-at < least {
		return 2 * len(indent)
	}
	return at
}

// wrapped is a cell that begins at a column, in as many lines as it takes.
func (p Printer) wrapped(c Cell, at int) string {
	parts := Wrap(c.Text, p.width()-at, p.Width > 0)
	for i := range parts {
		parts[i] = p.paint(Cell{parts[i], c.Style})
	}
	return strings.Join(parts, "\n"+strings.Repeat(" ", at))
}

// Wrap divides a text between words into parts of a width. A word that is longer is divided, or stays whole.
func Wrap(text string, width int, divide bool) (parts []string) {
	part, n := "", 0
	for word := range strings.SplitSeq(text, " ") {
		length := TextWidth(word)
		if part != "" && n+1+length > width {
			parts, part, n = append(parts, part), "", 0
		}
		for divide && length > width {
			var first string
			first, word = divided(word, width)
			parts, length = append(parts, first), TextWidth(word)
		}
		if part != "" {
			part, n = part+" ", n+1
		}
		part, n = part+word, n+length
	}
	return append(parts, part)
}

// divided cuts a word where it is as wide as the width.
func divided(word string, width int) (first, rest string) {
	n := 0
	for i, r := range word {
		if n += column(r); n > width && i > 0 {
			return word[:i], word[i:]
		}
	}
	return word, ""
}

// TextWidth is how many columns of a terminal a printable text takes.
func TextWidth(text string) (n int) {
	for _, r := range text {
		n += column(r)
	}
	return n
}

// column is how many columns a character takes: two for those of East Asian scripts and for pictures (UAX #11), none
// for marks that stand above another. Some signs among the pictures take one: a line with these is narrower than it
// could be.
func column(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case 0x1100 <= r && r <= 0x115f, 0x231a <= r && r <= 0x23f3, 0x25fd <= r && r <= 0x27bf, 0x2b1b <= r && r <= 0x2b55,
		0x2e80 <= r && r <= 0xa4cf, 0xa960 <= r && r <= 0xa97c, 0xac00 <= r && r <= 0xd7a3, 0xf900 <= r && r <= 0xfaff,
		0xfe10 <= r && r <= 0xfe6f, 0xff00 <= r && r <= 0xff60, 0xffe0 <= r && r <= 0xffe6,
		0x16fe0 <= r && r <= 0x1b2ff, 0x1f000 <= r && r <= 0x1faff, 0x20000 <= r && r <= 0x3fffd:
		return 2
	}
	return 1
}

// Line prints a short word and the text behind it as one paragraph, whose later lines are indented.
func (p Printer) Line(word Cell, s string) {
	const indent = "  "
	word.Text = text.Short(word.Text, Longest, text.Begin)
	parts := Wrap(word.Text+text.Short(s, Longest, text.Begin), p.width()-len(indent), p.Width > 0)
	if rest, ok := strings.CutPrefix(parts[0], word.Text); ok {
		parts[0] = p.paint(word) + rest
	}
	io.WriteString(p.W, strings.Join(parts, "\n"+indent)+"\n")
}
