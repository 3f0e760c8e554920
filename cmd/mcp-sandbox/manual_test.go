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
		page := pages["mcp-sandbox-"+strings.ReplaceAll(c.name, " ", "-")+"(1)"]
		if page == "" {
			t.Errorf("%s has no page", c.name)
		}
		for _, l := range c.flags().lines {
			if l.name != "" && !strings.Contains(page, "\n\\fB\\-\\-"+strings.ReplaceAll(l.name, "-", `\-`)+`\fR`) {
				t.Errorf("%s: no --%s", c.name, l.name)
			}
		}
	}
	for _, text := range []string{`\fB\-\-tty\fR`, `\fB\-\-backend\fR`, "(on Linux alone)", "(on macOS alone)"} {
		if !strings.Contains(pages["mcp-sandbox-run(1)"], text) {
			t.Errorf("the page of run has no %s on %s", text, runtime.GOOS)
		}
	}
}
