package install

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// title names the packages to install.
func (i *installation) title() string {
	var words []string
	for _, s := range i.start.Specs {
		words = append(words, s.String())
	}
	return strings.Join(words, " ")
}

// told returns the lines on a finished install.
func (i *installation) told(p *store.Package, began time.Time) []string {
	if p.Installed.Before(began) { // the store had just this
		line := "nothing newer for " + i.title() + " than " + p.Version + ", which is in the store"
		return []string{text.Printable(line)}
	}
	line := fmt.Sprintf("installed %s:%s %s (%s) in %.1f s", p.Ecosystem, p.Name, p.Version,
		text.Count(p.Packages, "package"), time.Since(began).Seconds())
	if u, err := url.Parse(p.Registry); err == nil && u.Host != strings.Fields(i.row.Usual)[0] {
		line += " from " + text.Printable(p.Registry)
	}
	switch {
	case i.Scripts:
		line += ", install scripts were allowed"
	case len(p.Scripts) == 0:
		line += ", no install script was run"
	}
	all := []string{line}
	if len(p.Scripts) > 0 {
		all = append(all, "install scripts of "+text.Printable(few(p.Scripts))+" were not run (--scripts)")
	}
	return all
}

// few is a list for a line.
func few(words []string) string {
	const most = 5
	if len(words) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	return strings.Join(words, ", ")
}

// tellLines reports the parts of the configuration that a failed install did not use: that may be why.
func (i *installation) tellLines() {
	for _, line := range i.lines {
		if i.Told != nil {
			i.Told(line)
		}
	}
}
