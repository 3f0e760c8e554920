package escape_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

var update = flag.Bool("update", false, "write testdata/escape.md anew")

// TestListIsDocumented: testdata/escape.md has each row and each story, no more and no fewer.
func TestListIsDocumented(t *testing.T) {
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "testdata/escape.md")
	want := list()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%v: testdata/escape.md differs: go test -update, and read what changed. It says\n%s\nthe table\n%s", err, got, want)
	}
}

// list is the table as testdata/escape.md has it.
func list() string {
	var b strings.Builder
	rows := len(stories())
	for _, g := range table() {
		rows += len(g.rows)
	}
	fmt.Fprintf(&b, "# The acts that are tried from inside\n\nMade by `go test -update ./init/internal/test/escape`: %d acts, and the known gaps "+
		"first.\n[SECURITY.md](../docs/SECURITY.md) has the promises.\n\n## Known gaps of full\n\n", rows)
	gaps(&b, func(r row) string { return r.gap })
	b.WriteString("\n## Known gaps of reduced\n\nThose of full, and:\n\n")
	for _, h := range holes() {
		var names []string
		for _, g := range table() {
			for _, r := range g.rows {
				if h.holds(r.name) {
					names = append(names, r.name)
				}
			}
		}
		fmt.Fprintf(&b, "- %s: %s.\n", h.why, strings.Join(names, "; "))
	}
	for _, s := range stories() {
		if s.open != "" {
			fmt.Fprintf(&b, "- %s: %s.\n", s.open, s.name)
		}
	}
	b.WriteString("\n## What is tried\n\nRefused in full and in reduced, but for their gaps, in every level that does not grant it (\"not in\" names those that do; \"read\" is level\nstandard with filesystem.default read):\n\n")
	for _, g := range table() {
		names := make([]string, 0, len(g.rows))
		for _, r := range g.rows {
			name := r.name
			if r.not != "" {
				name += " (not in " + strings.Join(strings.Fields(r.not), ", ") + ")"
			}
			names = append(names, name)
		}
		fmt.Fprintf(&b, "- **%s**: %s.\n", g.name, strings.Join(names, "; "))
	}
	names := make([]string, 0, len(stories()))
	for _, s := range stories() {
		names = append(names, s.name)
	}
	fmt.Fprintf(&b, "- **by more than one act**: %s.\n", strings.Join(names, "; "))
	return b.String()
}

// gaps lists the rows, and the stories, of which there is a reason why they are let through.
func gaps(b *strings.Builder, reason func(row) string) {
	all := make([]row, 0, 512)
	for _, g := range table() {
		all = append(all, g.rows...)
	}
	for _, s := range stories() {
		all = append(all, row{name: s.name, gap: s.gap})
	}
	for _, r := range all {
		if why := reason(r); why != "" {
			fmt.Fprintf(b, "- %s: %s\n", r.name, why)
		}
	}
}
