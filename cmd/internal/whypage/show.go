package whypage

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

const (
	mostWords  = 16  // of a command
	mostLines  = 100 // of acts; --json has all
	mostErrors = 20  // lines of a refusal
	column     = 48  // of names
)

// A Page is where a list is shown.
type Page struct {
	W      io.Writer
	Colour bool
	Width  int  // of the terminal; 0: no text is divided
	Named  bool // the file was named by a path: no launch of this program need have made it
}

// Show prints a line for each refusal, the most frequent first.
func (l *List) Show(p Page) {
	if l.Refused != nil {
		p.refused(l.Refused)
		return
	}
	if len(l.Denied) == 0 {
		p.text("", "nothing was refused"+l.open(), page.Plain)
		return
	}
	shown := l.Denied[:min(len(l.Denied), mostLines)]
	counts, names := 0, 0
	for i := range shown {
		counts = max(counts, len(count(&shown[i])))
		if n := page.TextWidth(p.name(&shown[i])); n <= p.column() {
			names = max(names, n)
		}
	}
	for i := range shown {
		p.row(&shown[i], counts, names)
	}
	if more := len(l.Denied) - len(shown) + l.more; more > 0 {
		p.text("  ", "and "+strconv.Itoa(more)+" more, of which --json has "+strconv.Itoa(len(l.Denied)), page.Plain)
	}
	if text := l.open(); text != "" {
		p.text("  ", strings.TrimPrefix(text, "; "), page.Yellow)
	}
}

// open says that a report has no last line.
func (l *List) open() string {
	if l.Ended {
		return ""
	}
	return "; the report has no last line: the server still runs, or mcp-sandbox was killed"
}

// Title is a line about the launch, for a report that the user did not name.
func (l *List) Title(p Page) {
	s := l.Time.UTC().Format("2006-01-02 15:04:05 UTC")
	for i, word := range l.Command[:min(len(l.Command), mostWords)] {
		if i == 0 {
			s += " "
		}
		s += " " + text.Shell(word)
	}
	p.text("", s, page.Bold)
}

// refused is a launch that was refused, with what to do about it.
func (p Page) refused(r *order.Refused) {
	text := r.Error
	if r.Op != "read" || r.Layer != order.Policy || r.Path != "" { // of a launch that came to an order
		text = (&order.Refusal{Layer: r.Layer, Op: r.Op, Path: r.Path, Err: errors.New(r.Error)}).Error()
	}
	p.text("", "the launch was refused, the server has not run", page.Bold)
	lines := strings.SplitN(strings.TrimSuffix(text, "\n"), "\n", mostErrors+1)
	for _, line := range lines[:min(len(lines), mostErrors)] {
		p.text("  ", line, page.Red)
	}
	if len(lines) > mostErrors {
		p.text("  ", "and more, which --json has", page.Plain)
	}
	switch {
	case r.Hint == "":
	case p.Named:
		p.text("  ", "the file advises: "+r.Hint, page.Plain)
	default:
		p.text("  ", r.Hint, page.Green)
	}
}

func count(d *Refusal) string { return strconv.FormatInt(d.Count, 10) + "x" }

// name is the name of an act as it is printed.
func (p Page) name(d *Refusal) string { return text.Short(d.Name, page.Longest, text.Begin) }

// column is how wide the column of names is at most.
func (p Page) column() int {
	if p.Width == 0 {
		return column
	}
	return min(column, p.Width/2)
}

// row prints one refusal. A name that is too wide for its column has a line of its own.
func (p Page) row(d *Refusal, counts, names int) {
	head, name := "  "+strings.Repeat(" ", counts-len(count(d)))+count(d)+"  ", p.name(d)
	text, style := d.Why, page.Yellow
	if d.Flag != "" {
		text, style = text+".  "+d.Flag, page.Green
	}
	if n := page.TextWidth(name); n <= names {
		p.text(head+name+strings.Repeat(" ", names-n+2), text, style)
		return
	}
	p.text(head, name, page.Plain)
	p.text(strings.Repeat(" ", len(head)+2), text, style)
}

// text prints a text behind a head, wrapped between words. On a terminal a longer word is divided.
func (p Page) text(head, s string, style page.Style) {
	s = text.Short(s, page.Longest, text.Begin)
	at := page.TextWidth(head)
	parts := []string{s}
	if p.Width > 0 {
		if at > p.Width-8 { // a terminal of a few columns
			at = 0
			head = strings.TrimRight(head, " ")
			io.WriteString(p.W, strings.Join(page.Wrap(head, p.Width, true), "\n")+"\n")
			head = ""
		}
		parts = page.Wrap(s, max(p.Width-at, 1), true)
	}
	for _, part := range parts {
		if p.Colour && style != page.Plain {
			part = "\x1b[" + string(style) + "m" + part + "\x1b[m"
		}
		io.WriteString(p.W, head+part+"\n")
		head = strings.Repeat(" ", at)
	}
}
