package store

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
)

// No line of a listing is wider than the terminal, and each part of it says what it is.
func TestListingsInColumns(t *testing.T) {
	packages := listing{[]stored{
		{Manager: "npm", Name: "@modelcontextprotocol/server-filesystem", Version: "2026.8.31", Bytes: 12 << 20,
			Specs: []string{"npm:@modelcontextprotocol/server-filesystem", "npm:@modelcontextprotocol/server-filesystem@^2026"}},
		{Manager: "npm", Name: "acme", Version: "1.0.0"},
	}}
	for _, width := range []int{40, 80} {
		var b strings.Builder
		p := page.Printer{W: &b, Width: width}
		packages.page(p)
		text := b.String()
		for line := range strings.Lines(text) {
			if n := page.TextWidth(strings.TrimSuffix(line, "\n")); n > width && strings.HasPrefix(line, " ") {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		for _, want := range []string{"npm:acme@1.0.0\n", "used ", "asked for as "} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
}
