package install

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
)

// title names what is installed.
func (i *installation) title() string {
	var words []string
	for _, s := range i.start.Specs {
		words = append(words, s.String())
	}
	return strings.Join(words, " ")
}

// told is what came of an install.
func (i *installation) told(p *store.Package, began time.Time) []string {
	if p.Installed.Before(began) { // the store had just this
		return []string{plain("nothing newer for " + i.title() + " than " + p.Version + ", which is in the store")}
	}
	line := fmt.Sprintf("installed %s:%s %s (%s) in %.1f s", p.Ecosystem, p.Name, p.Version,
		counted(p.Packages, "package"), time.Since(began).Seconds())
	if u, err := url.Parse(p.Registry); err == nil && u.Host != strings.Fields(i.row.usual)[0] {
		line += " from " + plain(p.Registry)
	}
	switch {
	case i.Scripts:
		line += ", install scripts were allowed"
	case len(p.Scripts) == 0:
		line += ", no install script was run"
	}
	all := []string{line}
	if len(p.Scripts) > 0 {
		all = append(all, "install scripts of "+plain(few(p.Scripts))+" were not run (--scripts)")
	}
	return all
}

func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// plain shows what is not for a terminal escaped: registries and packages choose names and messages.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

// few is a list for a line.
func few(words []string) string {
	const most = 5
	if len(words) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	return strings.Join(words, ", ")
}

// tellLines says of an install that failed what was not used of the configuration: that may be why.
func (i *installation) tellLines() {
	for _, line := range i.lines {
		if i.Told != nil {
			i.Told(line)
		}
	}
}
