package main

import (
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/manual"
)

// Each command has a page with all its flags, and every page that is named is there.
func TestManuals(t *testing.T) {
	all, err := manuals()
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, p := range all {
		pages[p.Reference()] = p.Roff(manual.Build{Version: "v1", Date: "2026-11-24"})
	}
	for _, p := range all {
		for _, name := range p.Also {
			if pages[name] == "" {
				t.Errorf("%s names %s, which is not there", p.Reference(), name)
			}
		}
	}
	for _, c := range commands() {
		if c.Name == serveName {
			continue // its program's tests look at the page
		}
		page := pages["mcp-sandbox-"+strings.ReplaceAll(c.Name, " ", "-")+"(1)"]
		if page == "" {
			t.Errorf("%s has no page", c.Name)
		}
		for _, l := range c.Flags().Lines {
			if l.Name != "" && !strings.Contains(page, "\n\\fB\\-\\-"+strings.ReplaceAll(l.Name, "-", `\-`)+`\fR`) {
				t.Errorf("%s: no --%s", c.Name, l.Name)
			}
		}
	}
	for _, text := range []string{`\fB\-\-tty\fR`, `\fB\-\-backend\fR`, "(on Linux alone)", "(on macOS alone)"} {
		if !strings.Contains(pages["mcp-sandbox-run(1)"], text) {
			t.Errorf("the page of run has no %s on %s", text, runtime.GOOS)
		}
	}
}

// Examples fit into a terminal of 80 columns.
func TestExamplesAreNarrow(t *testing.T) {
	for _, c := range commands() {
		for line := range strings.SplitSeq(c.Tips, "\n") {
			if len(line) > 80 {
				t.Errorf("%s: %d columns: %s", c.Name, len(line), line)
			}
		}
	}
}
