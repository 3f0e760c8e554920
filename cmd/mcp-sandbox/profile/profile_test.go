package profile

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
)

// No line of a listing is wider than the terminal, and each part of it says what it is.
func TestListingsInColumns(t *testing.T) {
	profiles, err := profile.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{40, 80} {
		var b strings.Builder
		p := page.Printer{W: &b, Width: width}
		profilesPage(profiles.Profiles, p)
		text := b.String()
		for line := range strings.Lines(text) {
			if n := page.TextWidth(strings.TrimSuffix(line, "\n")); n > width && strings.HasPrefix(line, " ") {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		for _, want := range []string{"  hosts      ", "  variables  ", "  arguments  0…: write"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
}
