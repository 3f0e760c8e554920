// Package manual makes manual pages of the programs' own tables: what --help says, and the schema of policies.
//
//	p := manual.Page{Name: "mcp-sandbox-doctor", Section: "1", Short: "try what this machine gives", …}
//	text := p.Roff(manual.Build{Version: "v1.2.3", Date: "2026-11-24"})
//	p := manual.Of(&command) // of a command's flags
//
// The pages are in the language of man(7), which man-db, mandoc and groff read. A page is the same wherever it is made.
package manual

import (
	"strings"
)

// A Page is a manual page. Texts are lines with paragraphs between empty lines; a line that begins with two spaces
// stays as it is.
type Page struct {
	Name, Section string
	Short         string // one line
	Synopsis      []string
	Text          string
	Flags         []Flag
	More          string // below the flags
	Examples      string
	Also          []string // other pages, as mcp-sandbox(1)
}

// A Flag is what has an entry of its own: a flag, or whatever else a term names. Without a Term it is a heading.
type Flag struct{ Term, Value, Text string }

// A Build is what the pages say of themselves. Date is as 2026-11-24, or "".
type Build struct{ Version, Date string }

// File is the name of the page's file.
func (p *Page) File() string { return p.Name + "." + p.Section }

// Reference is how other pages name this one.
func (p *Page) Reference() string { return p.Name + "(" + p.Section + ")" }

// Roff is the page.
func (p *Page) Roff(b Build) string {
	w := &writer{}
	w.request("TH", strings.ToUpper(p.Name), p.Section, b.Date, "mcp-sandbox "+b.Version, "mcp-sandbox")
	w.request("SH", "NAME")
	w.filled(verbatim(p.Name)+` \-`, p.Short)
	w.request("SH", "SYNOPSIS")
	w.synopsis(p.Synopsis)
	w.request("SH", "DESCRIPTION")
	w.text(p.Text)
	w.flags(p.Flags)
	if p.More != "" {
		w.request("SH", "NOTES")
		w.text(p.More)
	}
	if p.Examples != "" {
		w.request("SH", "EXAMPLES")
		w.block(strings.Split(strings.TrimSuffix(p.Examples, "\n"), "\n"))
	}
	if len(p.Also) > 0 {
		w.request("SH", "SEE ALSO")
		for i, name := range p.Also {
			w.reference(name, i < len(p.Also)-1)
		}
	}
	return w.b.String()
}
