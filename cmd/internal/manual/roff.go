package manual

import (
	"fmt"
	"strings"
)

// A writer writes the lines of a page.
type writer struct{ b strings.Builder }

func (w *writer) line(text string) { w.b.WriteString(text + "\n") }

// request writes a request with its arguments, each of them quoted.
func (w *writer) request(name string, arguments ...string) {
	text := "." + name
	for _, a := range arguments {
		text += ` "` + prose(a) + `"`
	}
	w.line(text)
}

// synopsis writes ways to start a program, a line each.
func (w *writer) synopsis(ways []string) {
	for i, way := range ways {
		if i > 0 {
			w.line(".br")
		}
		name, rest, _ := strings.Cut(way, " ")
		w.line(strings.TrimSuffix(`\fB`+verbatim(name)+`\fR `+verbatim(rest), " "))
	}
}

// text writes paragraphs.
func (w *writer) text(text string) {
	paragraphs := strings.Split(strings.Trim(text, "\n"), "\n\n")
	for i, paragraph := range paragraphs {
		if i > 0 {
			w.line(".PP")
		}
		if strings.HasPrefix(paragraph, "  ") {
			w.block(strings.Split(paragraph, "\n"))
			continue
		}
		w.wrapped(paragraph)
	}
}

// wrapped writes a paragraph in lines of at most 80 bytes, where its words allow that.
func (w *writer) wrapped(paragraph string) { w.filled("", paragraph) }

// filled writes a paragraph so, behind what is written already as roff has it.
func (w *writer) filled(line, paragraph string) {
	for word := range strings.FieldsSeq(paragraph) {
		word = prose(word)
		if line != "" && len(line)+1+len(word) > 80 {
			w.line(line)
			line = ""
		}
		switch {
		case line != "":
			line += " " + word
		case strings.HasPrefix(word, "."): // no request
			line = `\&` + word
		default:
			line = word
		}
	}
	w.line(line)
}

// block writes lines that stay as they are.
func (w *writer) block(lines []string) {
	w.line(".RS 4")
	w.line(".nf")
	for _, l := range lines {
		w.line(verbatim(strings.TrimPrefix(l, "  ")))
	}
	w.line(".fi")
	w.line(".RE")
}

// flags writes the entries, below their headings.
func (w *writer) flags(all []Flag) {
	for i, f := range all {
		switch {
		case f.Term == "" && i == 0:
			w.request("SH", f.Text)
			continue
		case f.Term == "":
			w.request("SS", f.Text)
			continue
		}
		w.line(".TP")
		term := `\fB` + verbatim(f.Term) + `\fR`
		if f.Value != "" {
			term += ` \fI` + verbatim(f.Value) + `\fR`
		}
		w.line(term)
		w.wrapped(f.Text)
	}
}

// reference names another page.
func (w *writer) reference(name string, more bool) {
	page, section, _ := strings.Cut(name, "(")
	text := `\fB` + verbatim(page) + `\fR(` + section
	if more {
		text += ","
	}
	w.line(text)
}

// escape is a text in which nothing has a meaning for roff. Characters that a terminal would show as others are named.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\\':
			b.WriteString(`\e`)
		case '\'':
			b.WriteString(`\(aq`)
		case '`':
			b.WriteString(`\(ga`)
		case '"':
			b.WriteString(`\(dq`)
		case '~':
			b.WriteString(`\(ti`)
		case '^':
			b.WriteString(`\(ha`)
		default:
			if r > '~' {
				fmt.Fprintf(&b, `\[u%04X]`, r)
			} else {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// verbatim is a line as it is typed.
func verbatim(line string) string {
	line = strings.ReplaceAll(escape(line), "-", `\-`)
	if strings.HasPrefix(line, ".") { // no request
		return `\&` + line
	}
	return line
}

// prose is words of a sentence. A flag in it is as it is typed.
func prose(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		at := strings.Index(word, "--")
		if at < 0 {
			at = len(word)
		}
		words[i] = escape(word[:at]) + strings.ReplaceAll(escape(word[at:]), "-", `\-`)
	}
	return strings.Join(words, " ")
}
