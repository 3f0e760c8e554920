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

var update = flag.Bool("update", false, "write the lists of docs/SECURITY.md anew")

// The lists stand between these marks.
const (
	listBegin = "<!-- from the table of init/internal/test/escape: go test -update there -->\n"
	listEnd   = "<!-- end of the table -->\n"
)

// TestListIsDocumented: docs/SECURITY.md says of each row and each story what comes of it, no more and no fewer.
func TestListIsDocumented(t *testing.T) {
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(root, "docs/SECURITY.md")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), listBegin)
	got, tail, ended := strings.Cut(rest, listEnd)
	if !ok || !ended {
		t.Fatal("docs/SECURITY.md has no such list")
	}
	want := list()
	if *update {
		if err := os.WriteFile(name, []byte(head+listBegin+want+listEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("docs/SECURITY.md is not what the table says: go test -update, and read what changed. It says\n%s\nthe table\n%s", got, want)
	}
}

// list is the table as docs/SECURITY.md has it.
func list() string {
	var b strings.Builder
	b.WriteString("## Known gaps of full\n\n")
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
