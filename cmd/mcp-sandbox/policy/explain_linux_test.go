package policy

import (
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// docs/policy.md shows what is printed.
func TestExplainInDocs(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{"/home/ann"}, AllowWrite: []string{"/home/ann/project"}},
		Network: policy.Network{AllowedDomains: []string{"*.github.io"}}}
	e := explain.Of(p, policy.Run, "/home/ann")
	says, _, _ := strings.Cut(explanation(&e, page.Printer{}), "\n\n")
	if !strings.Contains(string(doc), "```text\n"+says+"\n```\n") {
		t.Errorf("docs/policy.md does not have:\n%s", says)
	}
	for _, v := range explain.Verdicts() {
		if row := "| " + v.String() + " | " + v.Means() + " |\n"; !strings.Contains(string(doc), row) {
			t.Errorf("docs/policy.md does not have the row %s", row)
		}
	}
}

// In a terminal no line is wider, and what the lines say is the same.
func TestExplainFits(t *testing.T) {
	p := policy.Policy{Level: policy.LevelNetwork, EnvVars: []string{strings.Repeat("LONG_", 800) + "KEY"},
		Filesystem: policy.Filesystem{AllowRead: []string{"/srv/" + strings.Repeat("long", 1000), "/srv/\x1b[2J"}}}
	e := explain.Of(p, policy.Run, "/home/ann")
	words := func(text string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(text) }
	wide := words(explanation(&e, page.Printer{Width: 100}))
	for _, width := range []int{40, 60, 80, 99, 100, 300} {
		text := explanation(&e, page.Printer{Width: width})
		for line := range strings.SplitSeq(text, "\n") {
			if n := len([]rune(line)); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
		if words(text) != wide || strings.Contains(text, "\x1b") {
			t.Errorf("%d columns:\n%s", width, text)
		}
		if coloured := explanation(&e, page.Printer{Width: width, Colour: true}); !strings.Contains(coloured, "\x1b[31mdangerous\x1b[m") {
			t.Errorf("no colour:\n%s", coloured)
		}
	}
}
